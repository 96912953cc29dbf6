import { ColumnHeads } from '../shell/column-heads.tsx';

/** A day and the number of its operations. */
export interface Day {
  /** `2026-11-30`. */
  readonly date: string;
  readonly operations: number;
}

const dayMs = 86_400_000;
/** Pixels of the picture, which is as wide as the page. */
const [widthPx, heightPx, gapPx] = [720, 120, 2];

/** Returns all days from the beginning of the period until today, those without operations too. */
export function daysSince(from: string, days: readonly Day[]): readonly Day[] {
  const known = new Map(days.map(({ date, operations }) => [date, operations]));
  const dates = new Set(days.map(({ date }) => date));
  for (let at = Date.parse(from); at <= Date.now(); at += dayMs) {
    dates.add(new Date(at).toISOString().slice(0, 10));
  }
  return [...dates].toSorted().map((date) => ({ date, operations: known.get(date) ?? 0 }));
}

/** A bar for each day, as high as its share of the most on one day, and a table of the same. */
export function DayBars({ days }: { readonly days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ operations }) => operations));
  const stepPx = widthPx / Math.max(1, days.length);
  return (
    <>
      <h2>Operations by day</h2>
      <figure class="day-bars">
        <svg
          viewBox={`0 0 ${widthPx} ${heightPx}`}
          role="img"
          aria-label={`Operations of ${days.length} days, at most ${most.toLocaleString()} on one`}
        >
          {days.map(({ date, operations }, index) => {
            const px = (operations / most) * (heightPx - 1);
            return (
              <rect
                key={date}
                x={index * stepPx}
                y={heightPx - Math.max(1, px)}
                width={Math.max(1, stepPx - gapPx)}
                height={Math.max(1, px)}
              >
                <title>{`${dayText(date)}: ${operations.toLocaleString()}`}</title>
              </rect>
            );
          })}
        </svg>
        <figcaption class="quiet">
          <span>{dayText(days[0]?.date)}</span>
          <span>at most {most.toLocaleString()} a day</span>
          <span>{dayText(days.at(-1)?.date)}</span>
        </figcaption>
      </figure>
      <details>
        <summary>As a table</summary>
        <table>
          <ColumnHeads names={['Day', 'Operations']} />
          <tbody>
            {days.map(({ date, operations }) => (
              <tr key={date}>
                <th scope="row">{dayText(date)}</th>
                <td class="number">{operations.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function dayText(date: string | undefined): string {
  return date === undefined ? '' : new Date(`${date}T00:00:00`).toLocaleDateString();
}
