import type { HistoryMarks } from './history-marks.ts';

interface TickParts {
  readonly marks: HistoryMarks;
  /** Newest position of the slider. */
  readonly last: number;
}

/** Ticks at named versions and merges, and the days along the slider. */
export function HistoryTicks({ marks: { marks, days }, last }: TickParts) {
  const placed = (seq: number) => ({ left: `${last === 0 ? 0 : (100 * seq) / last}%` });
  return (
    <div class="history-ticks" aria-hidden="true">
      {days.map(({ seq, text }) => (
        <span key={seq} class="day" style={placed(seq)}>
          {text}
        </span>
      ))}
      {marks.map(({ seq, kind, name }) => (
        <span key={`${kind} ${seq}`} class={`tick ${kind}`} style={placed(seq)} title={name} />
      ))}
    </div>
  );
}
