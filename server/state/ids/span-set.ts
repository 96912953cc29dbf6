import { firstAfter } from './first-after.ts';
import { runKey, type IdSpan, type LineId } from './order.ts';

/** Returns spans by the keys of their runs, each list in the order of its offsets. */
export function spansByRun(spans: readonly IdSpan[]): Map<number, IdSpan[]> {
  const runs = new Map<number, IdSpan[]>();
  for (const span of spans) {
    const key = runKey(span.branch, span.sequence);
    const own = runs.get(key);
    if (own) own.push(span);
    else runs.set(key, [span]);
  }
  for (const own of runs.values()) own.sort((a, b) => a.offset - b.offset);
  return runs;
}

/** The lines of spans that do not overlap, to be asked about one by one. */
export class SpanSet {
  readonly #byRun: ReadonlyMap<number, readonly IdSpan[]>;

  constructor(spans: readonly IdSpan[]) {
    this.#byRun = spansByRun(spans);
  }

  has({ branch, sequence, offset }: LineId): boolean {
    const spans = this.#byRun.get(runKey(branch, sequence)) ?? [];
    const next = firstAfter(spans.length, (at) => (spans[at]?.offset ?? 0) > offset);
    const span = spans[next - 1];
    return span !== undefined && offset < span.offset + span.length;
  }
}
