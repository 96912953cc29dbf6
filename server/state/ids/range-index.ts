import { intersection, overlaps, type Range } from '../../model/range.ts';

const rowsPerBucket = 256;
/** Most buckets for a range; a larger one is compared with by every query. */
const bucketsMost = 64;

interface Entry {
  readonly key: string;
  readonly ranges: readonly Range[];
}

/** Index of ranges that finds those that overlap another without a look at all. */
export class RangeIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #buckets = new Map<number, Set<Entry>>();
  readonly #tall = new Set<Entry>();

  ranges(key: string): readonly Range[] {
    return this.#entries.get(key)?.ranges ?? [];
  }

  add(key: string, ranges: readonly Range[]): void {
    this.remove(key);
    const entry = { key, ranges };
    this.#entries.set(key, entry);
    for (const set of this.#setsOf(ranges)) set.add(entry);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const set of this.#setsOf(entry.ranges)) set.delete(entry);
  }

  /** Keys of the ranges that share a cell with this one, sorted. */
  meeting(range: Range): string[] {
    const found = new Set<string>();
    const visit = (entries: Iterable<Entry>) => {
      for (const { key, ranges } of entries) {
        if (ranges.some((other) => overlaps(other, range))) found.add(key);
      }
    };
    visit(this.#tall);
    const [first, last] = bucketsOf(range);
    if (last - first >= this.#buckets.size) {
      for (const entries of this.#buckets.values()) visit(entries);
    } else {
      for (let at = first; at <= last; at++) visit(this.#buckets.get(at) ?? []);
    }
    return [...found].sort();
  }

  *#setsOf(ranges: readonly Range[]): Generator<Set<Entry>> {
    for (const range of ranges) {
      const [first, last] = bucketsOf(range);
      if (last - first >= bucketsMost) {
        yield this.#tall;
        continue;
      }
      for (let at = first; at <= last; at++) {
        let bucket = this.#buckets.get(at);
        if (!bucket) this.#buckets.set(at, (bucket = new Set()));
        yield bucket;
      }
    }
  }
}

/** Returns the parts of a range outside another: at most four ranges, from top to bottom. */
export function without(range: Range, cut: Range): Range[] {
  const shared = intersection(range, cut);
  if (!shared) return [range];
  const { row0, column0, row1, column1 } = shared;
  const parts: Range[] = [
    { ...range, row1: row0 - 1 },
    { row0, row1, column0: range.column0, column1: column0 - 1 },
    { row0, row1, column0: column1 + 1, column1: range.column1 },
    { ...range, row0: row1 + 1 },
  ];
  return parts.filter((part) => part.row0 <= part.row1 && part.column0 <= part.column1);
}

function bucketsOf({ row0, row1 }: Range): [number, number] {
  return [Math.floor(row0 / rowsPerBucket), Math.floor(row1 / rowsPerBucket)];
}
