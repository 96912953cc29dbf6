import { firstAfter } from './first-after.ts';
import { runKey, type IdSpan, type LineId } from './order.ts';

/** The lines of spans that do not overlap, to be asked about one by one. */
export class SpanSet {
  /** Spans by run, each list in the order of its offsets. */
  readonly #byRun = new Map<number, IdSpan[]>();

  constructor(spans: readonly IdSpan[]) {
    for (const span of spans) {
      const key = runKey(span.branch, span.sequence);
      const known = this.#byRun.get(key);
      if (known) known.push(span);
      else this.#byRun.set(key, [span]);
    }
    for (const list of this.#byRun.values()) list.sort((a, b) => a.offset - b.offset);
  }

  has({ branch, sequence, offset }: LineId): boolean {
    const spans = this.#byRun.get(runKey(branch, sequence)) ?? [];
    const next = firstAfter(spans.length, (at) => (spans[at]?.offset ?? 0) > offset);
    const span = spans[next - 1];
    return span !== undefined && offset < span.offset + span.length;
  }
}
