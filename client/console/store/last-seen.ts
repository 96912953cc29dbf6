const storageKey = 'quire.seen';
/** Branches that this browser remembers. */
const branchesMost = 200;

/** How far somebody saw a branch in this browser. */
export interface Seen {
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface SeenBranch {
  readonly book: string;
  readonly branch: string;
}

/** Returns how far a branch was seen last; undefined where it never was. */
export function lastSeen(branch: SeenBranch): Seen | undefined {
  return new Map(readAll()).get(keyOf(branch));
}

/** Remembers that somebody has seen a branch so far, and forgets those not seen for longest. */
export function noteSeen(branch: SeenBranch, seq: number): void {
  const key = keyOf(branch);
  const others = readAll().filter(([known]) => known !== key);
  const kept = [...others, [key, { seq, at: Date.now() }]].slice(-branchesMost);
  localStorage.setItem(storageKey, JSON.stringify(kept));
}

function readAll(): readonly (readonly [key: string, seen: Seen])[] {
  const text = localStorage.getItem(storageKey);
  return text === null ? [] : (JSON.parse(text) as (readonly [string, Seen])[]);
}

function keyOf({ book, branch }: SeenBranch): string {
  return `${book} ${branch}`;
}
