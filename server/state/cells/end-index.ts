import { anyRun, type EndSpan, type LeavingLines } from './end-spans.ts';

/** Offsets in a bucket. */
const bucketSize = 1_024;
/** A span over more buckets is checked by every look-up of its run. */
const bucketsMost = 16;

/** Index of places by the lines at which ranges of their formulas begin or end. */
export class EndIndex<Place> {
  readonly #buckets = new Map<string, Set<Place>>();
  readonly #known = new Map<Place, readonly EndSpan[]>();

  /** Sets the ends of a place. */
  put(place: Place, ends: readonly EndSpan[]): void {
    const before = this.#known.get(place);
    if (before === ends) return;
    for (const key of keysOf(before ?? [])) this.#buckets.get(key)?.delete(place);
    if (ends.length > 0) this.#known.set(place, ends);
    else this.#known.delete(place);
    for (const key of keysOf(ends)) this.#bucket(key).add(place);
  }

  /** Returns the places with an end at one of the lines. */
  meeting(lines: LeavingLines): Place[] {
    const candidates = new Set<Place>();
    for (const key of this.#keysOf(lines)) {
      for (const place of this.#buckets.get(key) ?? []) candidates.add(place);
    }
    return [...candidates].filter((place) => lines.meets(this.#known.get(place) ?? []));
  }

  /** Returns the buckets to look in: those of the lines, or all, whichever are fewer. */
  #keysOf({ sheetId, axis, spans }: LeavingLines): Iterable<string> {
    const keys = [keyOf({ sheetId, axis, run: anyRun }, '')];
    for (const { run, from, to } of spans) {
      if (to - from > this.#buckets.size * bucketSize) return this.#buckets.keys();
      keys.push(keyOf({ sheetId, axis, run }, 'wide'));
      for (let at = bucketOf(from); at <= bucketOf(to - 1); at++) {
        keys.push(keyOf({ sheetId, axis, run }, at));
      }
    }
    return keys;
  }

  #bucket(key: string): Set<Place> {
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      bucket = new Set();
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }
}

function* keysOf(ends: readonly EndSpan[]): Generator<string> {
  for (const end of ends) {
    const [first, last] = [bucketOf(end.from), bucketOf(end.to - 1)];
    if (end.run === anyRun) yield keyOf(end, '');
    else if (last - first >= bucketsMost) yield keyOf(end, 'wide');
    else for (let at = first; at <= last; at++) yield keyOf(end, at);
  }
}

function keyOf(
  { sheetId, axis, run }: Pick<EndSpan, 'sheetId' | 'axis' | 'run'>,
  bucket: number | string,
): string {
  return `${axis} ${sheetId} ${run} ${bucket}`;
}

function bucketOf(offset: number): number {
  return Math.floor(offset / bucketSize);
}
