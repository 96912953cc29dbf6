import { browserTexts } from '../browser-storage.ts';

const storageKey = 'quire.seen';
/** Branches that this browser remembers. */
const branchesMost = 200;

/** Last position of a branch that was seen in this browser. */
export interface Seen {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface SeenBranch {
  readonly book: string;
  readonly branch: string;
}

/** Returns the last seen position of a branch; undefined if there is none. */
export function lastSeen(branch: SeenBranch): Seen | undefined {
  return new Map(readAll()).get(keyOf(branch));
}

/** Stores the last seen position of a branch, and drops the oldest ones. */
export function noteSeen(branch: SeenBranch, seq: number): void {
  const key = keyOf(branch);
  const others = readAll().filter(([known]) => known !== key);
  const kept = [...others, [key, { seq, at: Date.now() }]].slice(-branchesMost);
  browserTexts.setItem(storageKey, JSON.stringify(kept));
}

function readAll(): readonly (readonly [key: string, seen: Seen])[] {
  const text = browserTexts.getItem(storageKey);
  return text === null ? [] : (JSON.parse(text) as (readonly [string, Seen])[]);
}

function keyOf({ book, branch }: SeenBranch): string {
  return `${book} ${branch}`;
}
