import type { Screen } from '../address.ts';
import { ScreenLink } from '../shell/link.tsx';
import { ChangeHead } from './change-head.tsx';
import type { DiffEntry } from './diff-page.ts';
import { Sign } from './sign.tsx';
import { Side } from './side.tsx';

interface TableParts {
  readonly entries: readonly DiffEntry[];
  /** Returns the way to what is still there. */
  readonly placeOf: (entry: DiffEntry) => Screen;
}

/** Lists what differs, a line each. */
export function EntryTable({ entries, placeOf }: TableParts) {
  const isBySomebody = entries.some(({ by }) => by !== undefined);
  return (
    <table class="changes">
      <ChangeHead columns={['Where', 'Before', 'After', ...(isBySomebody ? ['By'] : [])]} />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.key} class={entry.change} tabIndex={-1}>
            <td>
              <Sign change={entry.change} />
            </td>
            <td>
              <Place entry={entry} placeOf={placeOf} />
              {entry.told && <div class="quiet">{entry.told}</div>}
            </td>
            <td>{entry.before !== undefined && <Side side={entry.before} />}</td>
            <td>{entry.after !== undefined && <Side side={entry.after} />}</td>
            {isBySomebody && <td>{entry.by}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PlaceParts extends Pick<TableParts, 'placeOf'> {
  readonly entry: DiffEntry;
}

/** Names the place of an entry, and leads to it where it is still there. */
function Place({ entry, placeOf }: PlaceParts) {
  const { sheet, place, isThere } = entry;
  const name = [sheet, place].filter(Boolean).join('!');
  if (!isThere || sheet === undefined) return <>{name}</>;
  return <ScreenLink to={placeOf(entry)}>{name}</ScreenLink>;
}
