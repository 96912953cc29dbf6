import { beginsChunk, chunkEntriesMost, putNode, startNode, type NodeSink } from './nodes.ts';

/** An entry of a list, whose value is canonical JSON. */
export type SortedEntry = readonly [key: string, value: unknown];

/** Entries from one whose key begins a chunk up to the next such. */
interface Piece {
  readonly entries: readonly SortedEntry[];
  /** Hashes of its chunks; undefined before they are first asked for. */
  hashes: readonly Buffer[] | undefined;
}

const stepEntries = 1_000;

/**
 * A sorted list that is stored as `putList` does. Immutable; a changed one shares the parts without
 * changes, with their hashes.
 */
export class SortedList {
  static readonly none = new SortedList([]);
  readonly #pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  *entries(): Generator<SortedEntry> {
    for (const { entries } of this.#pieces) yield* entries;
  }

  /** Returns the list after changes, which are sorted; an undefined value takes an entry out. */
  *changed(changes: readonly SortedEntry[]): Generator<void, SortedList> {
    const made = new MadePieces();
    let next = 0;
    for (let at = 0; at < Math.max(1, this.#pieces.length); at++) {
      const piece = this.#pieces[at];
      const from = next;
      next = indexOfKey(changes, this.#pieces[at + 1]?.entries[0]?.[0], next);
      if (piece && next === from) made.share(piece);
      else yield* made.addAll(merged(piece?.entries ?? [], changes.slice(from, next)));
    }
    return new SortedList(made.all);
  }

  /** Stores the list and returns its hash. */
  *put(sink: NodeSink): Generator<void, Buffer> {
    const list = startNode('list');
    for (const piece of this.#pieces) {
      const areThere = piece.hashes?.every((hash) => sink.has(hash)) === true;
      if (!areThere) piece.hashes = putChunks(sink, piece.entries);
      for (const hash of piece.hashes ?? []) list.hash(hash);
      if (!areThere) yield;
    }
    return putNode(sink, 'list', list);
  }
}

class MadePieces {
  readonly #closed: Piece[] = [];
  #open: SortedEntry[] | undefined;

  get all(): readonly Piece[] {
    this.#close();
    return this.#closed;
  }

  share(piece: Piece): void {
    this.#close();
    this.#closed.push(piece);
  }

  *addAll(entries: Iterable<SortedEntry>): Generator<void, void> {
    let count = 0;
    for (const entry of entries) {
      this.#add(entry);
      if (++count % stepEntries === 0) yield;
    }
  }

  #add(entry: SortedEntry): void {
    if (beginsChunk(entry[0])) this.#close();
    // The first of its piece is gone, so the rest goes on in the piece before.
    else this.#open ??= this.#closed.pop()?.entries.slice();
    this.#open ??= [];
    this.#open.push(entry);
  }

  #close(): void {
    if (this.#open) this.#closed.push({ entries: this.#open, hashes: undefined });
    this.#open = undefined;
  }
}

/** Returns the place of the first entry from one on that is not before a key. */
function indexOfKey(entries: readonly SortedEntry[], key: string | undefined, from: number) {
  if (key === undefined) return entries.length;
  let at = from;
  for (let entry = entries[at]; entry && entry[0] < key; entry = entries[++at]);
  return at;
}

function putChunks(sink: NodeSink, entries: readonly SortedEntry[]): Buffer[] {
  const hashes: Buffer[] = [];
  for (let from = 0; from < entries.length; from += chunkEntriesMost) {
    const chunk = startNode('chunk');
    for (const [key, value] of entries.slice(from, from + chunkEntriesMost)) {
      chunk.text(key);
      chunk.text(JSON.stringify(value));
    }
    hashes.push(putNode(sink, 'chunk', chunk));
  }
  return hashes;
}

/** Yields entries of both, and of one key what it is changed to. */
function* merged(
  entries: readonly SortedEntry[],
  changes: readonly SortedEntry[],
): Generator<SortedEntry> {
  let at = 0;
  for (const change of changes) {
    for (let entry = entries[at]; entry && entry[0] < change[0]; entry = entries[++at]) yield entry;
    if (entries[at]?.[0] === change[0]) at++;
    if (change[1] !== undefined) yield change;
  }
  yield* entries.slice(at);
}

/** Returns entries by key in the order of code units, with pauses on the way. */
export function* sortedByKey(entries: readonly SortedEntry[]): Generator<void, SortedEntry[]> {
  let runs: SortedEntry[][] = [];
  for (let from = 0; from < entries.length; from += stepEntries) {
    const run = entries.slice(from, from + stepEntries);
    runs.push(run.sort(([a], [b]) => (a < b ? -1 : 1)));
    yield;
  }
  while (runs.length > 1) {
    const joined: SortedEntry[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      joined.push(yield* joinedRuns(runs[at] ?? [], runs[at + 1] ?? []));
    }
    runs = joined;
  }
  return runs[0] ?? [];
}

function* joinedRuns(
  one: readonly SortedEntry[],
  other: readonly SortedEntry[],
): Generator<void, SortedEntry[]> {
  const all: SortedEntry[] = [];
  let at = 0;
  for (const entry of other) {
    for (let own = one[at]; own && own[0] < entry[0]; own = one[++at]) all.push(own);
    all.push(entry);
    if (all.length % stepEntries === 0) yield;
  }
  return all.concat(one.slice(at));
}
