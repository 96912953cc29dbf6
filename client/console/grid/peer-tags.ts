/** Another person or agent, and the cell where they are. */
export interface Peer {
  readonly name: string;
  readonly row: number;
  readonly column: number;
  /** A place among the eight colours for peers. */
  readonly colour: number;
}

/** A peer, with the name shown at the cell, or folded to a dot so that it covers no cell. */
export interface TaggedPeer extends Peer {
  readonly isNamed: boolean;
}

const namedMs = 3_000;
/** Tolerance for timers that fire early by part of a millisecond. */
const drawMs = 20;

/** Name tags of peers, which are shown for a while after each move. */
export class PeerTags {
  readonly #onFold: () => void;
  readonly #now: () => number;
  readonly #moves = new Map<string, { readonly place: string; readonly until: number }>();
  #peers: readonly Peer[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onFold: () => void, now = () => performance.now()) {
    this.#onFold = onFold;
    this.#now = now;
  }

  show(peers: readonly Peer[]): void {
    this.#peers = peers;
    const until = this.#now() + namedMs;
    const keys = new Set(peers.map(keyOf));
    for (const key of this.#moves.keys()) if (!keys.has(key)) this.#moves.delete(key);
    for (const peer of peers) {
      const place = `${peer.row} ${peer.column}`;
      if (this.#moves.get(keyOf(peer))?.place === place) continue;
      this.#moves.set(keyOf(peer), { place, until });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#onFold, namedMs + drawMs);
    }
  }

  get tagged(): readonly TaggedPeer[] {
    const now = this.#now();
    return this.#peers.map((peer) => {
      return { ...peer, isNamed: (this.#moves.get(keyOf(peer))?.until ?? 0) > now };
    });
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

function keyOf({ name, colour }: Peer): string {
  return `${colour} ${name}`;
}
