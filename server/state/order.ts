/** Consecutive ids of one run: (branch, sequence, offset), (branch, sequence, offset + 1), … */
export interface IdSpan {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
  readonly length: number;
}

/** The id of one row or column; equal for ever, whatever moves around it. */
export interface LineId {
  readonly branch: number;
  readonly sequence: number;
  readonly offset: number;
}

/** Consecutive positions, and where their ids stand in the span that was looked up. */
export interface Piece {
  readonly position: number;
  readonly length: number;
  /** Ids of the looked-up span before this piece. */
  readonly skipped: number;
}

interface Chunk {
  readonly spans: readonly IdSpan[];
  readonly length: number;
}

interface IndexedSpan {
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

/** Spans a chunk may hold; an edit copies one or two chunks and the list of chunks. */
const chunkSpans = 64;

/** One number for a run; branch numbers stay below 65,536 and sequences below 2^37. */
export function runKey(branch: number, sequence: number): number {
  return sequence * 65_536 + branch;
}

/**
 * The ids of a sheet's rows or columns in order: an immutable list of spans, never a list of rows.
 * It ends in the endless rest of the genesis run (0.0.k), so that a deletion draws fresh ids in at
 * the end of the grid and an insertion pushes the last ones out, with nothing to be stored for it.
 * Edits share what they do not touch, so keeping every version costs little.
 */
export class Order {
  readonly #chunks: readonly Chunk[];
  /** Position at which each chunk starts. */
  readonly #starts: Float64Array;
  /** Where each run's spans stand, by offset; built when an id is first looked up. */
  #index: Map<number, IndexedSpan[]> | undefined;
  #text: string | undefined;

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks;
    this.#starts = new Float64Array(chunks.length);
    let start = 0;
    for (const [index, chunk] of chunks.entries()) {
      this.#starts[index] = start;
      start += chunk.length;
    }
  }

  get spanCount(): number {
    return this.#chunks.reduce((count, chunk) => count + chunk.spans.length, 0);
  }

  /** The id at a position, as a span of length one. */
  idAt(position: number): LineId {
    const at = this.#chunkAt(position);
    let rest = position - (this.#starts[at] ?? 0);
    for (const { branch, sequence, offset, length } of this.#chunks[at]?.spans ?? []) {
      if (rest < length) return { branch, sequence, offset: offset + rest };
      rest -= length;
    }
    throw new RangeError(`there is no position ${position}`);
  }

  /** The ids at `count` positions from `position`, as few spans as there are. */
  spansAt(position: number, count: number): IdSpan[] {
    const found: IdSpan[] = [];
    let at = this.#chunkAt(position);
    let skip = position - (this.#starts[at] ?? 0);
    let rest = count;
    for (; rest > 0; at++, skip = 0) {
      const chunk = this.#chunks[at];
      if (chunk === undefined) throw new RangeError(`there is no position ${position + count}`);
      for (const span of chunk.spans) {
        if (rest === 0) break;
        if (skip >= span.length) {
          skip -= span.length;
          continue;
        }
        const length = Math.min(span.length - skip, rest);
        pushSpan(found, { ...span, offset: span.offset + skip, length });
        rest -= length;
        skip = 0;
      }
    }
    return found;
  }

  /** Where an id stands now; undefined once it was deleted. */
  positionOf(branch: number, sequence: number, offset: number): number | undefined {
    const spans = this.#runs().get(runKey(branch, sequence));
    const span = spans && spanBefore(spans, offset);
    if (!span || offset >= span.offset + span.length) return undefined;
    return span.position + (offset - span.offset);
  }

  /** Where the ids of a span stand now, in the order of the ids; deleted ones are absent. */
  piecesOf(span: IdSpan): Piece[] {
    const spans = this.#runs().get(runKey(span.branch, span.sequence));
    if (!spans) return [];
    const end = span.offset + span.length;
    const pieces: Piece[] = [];
    for (let at = indexBefore(spans, span.offset); at < spans.length; at++) {
      const found = spans[at];
      if (!found || found.offset >= end) break;
      const from = Math.max(found.offset, span.offset);
      const length = Math.min(found.offset + found.length, end) - from;
      if (length <= 0) continue;
      const position = found.position + (from - found.offset);
      pieces.push({ position, length, skipped: from - span.offset });
    }
    return pieces;
  }

  insert(position: number, spans: readonly IdSpan[]): Order {
    return this.#splice(position, 0, spans);
  }

  delete(position: number, count: number): Order {
    return this.#splice(position, count, []);
  }

  /** Moves `count` lines from `from` so that they stand before what is now at `before`. */
  move(from: number, count: number, before: number): Order {
    if (before >= from && before <= from + count) return this;
    const spans = this.spansAt(from, count);
    const target = before > from ? before - count : before;
    return this.delete(from, count).insert(target, spans);
  }

  /** Equal for equal orders, whatever edits led there. */
  get text(): string {
    if (this.#text === undefined) {
      const spans: IdSpan[] = [];
      for (const chunk of this.#chunks) for (const span of chunk.spans) pushSpan(spans, span);
      this.#text = spans
        .map((span) => `${span.branch}.${span.sequence}.${span.offset}+${span.length}`)
        .join(' ');
    }
    return this.#text;
  }

  *spans(): Generator<IdSpan> {
    for (const chunk of this.#chunks) yield* chunk.spans;
  }

  *chunks(): Generator<readonly IdSpan[]> {
    const spans: IdSpan[] = [];
    for (const span of this.spans()) pushSpan(spans, span);
    for (let at = 0; at < spans.length; at += 512) yield spans.slice(at, at + 512);
  }

  #chunkAt(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? Infinity) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #splice(position: number, deleteCount: number, inserted: readonly IdSpan[]): Order {
    const first = this.#chunkAt(position);
    const last = this.#chunkAt(position + deleteCount);
    const start = this.#starts[first] ?? 0;
    const spans: IdSpan[] = [];
    for (const chunk of this.#chunks.slice(first, last + 1)) spans.push(...chunk.spans);
    const edited = spliceSpans(spans, position - start, deleteCount, inserted);
    return new Order([
      ...this.#chunks.slice(0, first),
      ...chunked(edited),
      ...this.#chunks.slice(last + 1),
    ]);
  }

  #runs(): Map<number, IndexedSpan[]> {
    if (this.#index) return this.#index;
    const index = new Map<number, IndexedSpan[]>();
    let position = 0;
    for (const { branch, sequence, offset, length } of this.spans()) {
      const key = runKey(branch, sequence);
      const spans = index.get(key);
      if (spans) spans.push({ offset, length, position });
      else index.set(key, [{ offset, length, position }]);
      position += length;
    }
    for (const spans of index.values()) spans.sort((a, b) => a.offset - b.offset);
    this.#index = index;
    return index;
  }
}

export function orderFromSpans(spans: Iterable<IdSpan>): Order {
  return new Order(chunked([...spans]));
}

/** The order of a new sheet. */
export const genesisOrder = new Order([
  { spans: [{ branch: 0, sequence: 0, offset: 0, length: Infinity }], length: Infinity },
]);

/** Appends a span, joining it to the last one where their ids continue each other. */
export function pushSpan(spans: IdSpan[], span: IdSpan): void {
  if (span.length === 0) return;
  const last = spans.at(-1);
  const continues =
    last !== undefined &&
    last.branch === span.branch &&
    last.sequence === span.sequence &&
    last.offset + last.length === span.offset;
  if (continues) spans[spans.length - 1] = { ...last, length: last.length + span.length };
  else spans.push(span);
}

function spliceSpans(
  spans: readonly IdSpan[],
  position: number,
  deleteCount: number,
  inserted: readonly IdSpan[],
): IdSpan[] {
  const edited: IdSpan[] = [];
  const end = position + deleteCount;
  let start = 0;
  let pending = true;
  const insertPending = () => {
    if (pending) for (const added of inserted) pushSpan(edited, added);
    pending = false;
  };
  for (const span of spans) {
    const spanEnd = start + span.length;
    const kept = Math.min(span.length, Math.max(0, position - start));
    pushSpan(edited, { ...span, length: kept });
    if (spanEnd > position) insertPending();
    const cut = Math.max(kept, Math.min(span.length, end - start));
    const rest = span.length === Infinity ? Infinity : span.length - cut;
    if (spanEnd > end) pushSpan(edited, { ...span, offset: span.offset + cut, length: rest });
    start = spanEnd;
  }
  insertPending();
  return edited;
}

function chunked(spans: readonly IdSpan[]): Chunk[] {
  const chunks: Chunk[] = [];
  // Half-full chunks leave room, so that edits at one place do not split at each turn.
  const size = spans.length <= chunkSpans ? chunkSpans : chunkSpans / 2;
  for (let at = 0; at < spans.length; at += size) {
    const part = spans.slice(at, at + size);
    chunks.push({ spans: part, length: part.reduce((sum, span) => sum + span.length, 0) });
  }
  return chunks;
}

/** Index of the last span that starts at or before the offset; 0 when there is none. */
function indexBefore(spans: readonly IndexedSpan[], offset: number): number {
  let low = 0;
  let high = spans.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((spans[middle]?.offset ?? Infinity) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function spanBefore(spans: readonly IndexedSpan[], offset: number): IndexedSpan | undefined {
  const span = spans[indexBefore(spans, offset)];
  return span && span.offset <= offset ? span : undefined;
}
