import type { KeptTexts } from './kept-texts.ts';

/** Time after which a reloaded page holds its name again. */
const reloadMs = 1_000;
/** Time after which pages are looked for again. */
const lookMs = 3_000;

/** Holds a name while this page is open, so that other pages see that it is. */
export function holdName(name: string, signal: AbortSignal): void {
  if (!hasLocks()) return;
  const held = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  void navigator.locks.request(name, { mode: 'shared' }, () => held);
}

interface Watched {
  /** Prefix of all names of a branch. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Takes over what the writer of a closed page has left. */
  readonly adopt: (writer: string) => Promise<void>;
}

/** Pages of one branch in this browser: when one is closed, another takes over its edits. */
export class OtherPages {
  readonly #texts: KeptTexts;
  readonly #watched: Watched;
  readonly #known = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(texts: KeptTexts, own: string, watched: Watched) {
    this.#texts = texts;
    this.#watched = watched;
    this.#known.add(own);
  }

  /** Looks for pages regularly, because they come and go while this one is connected. */
  watch(): void {
    if (this.#watched.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.watch(), lookMs);
    void this.#look();
  }

  /** Looks for new pages, and for edits of closed ones. */
  async #look(): Promise<void> {
    if (!hasLocks()) return;
    const { prefix } = this.#watched;
    const refused = await this.#texts.namesOf(`refused:${prefix}`);
    const names = [
      ...(await this.#texts.namesOf(prefix)),
      ...refused.map((name) => name.slice('refused:'.length)),
      ...((await navigator.locks.query()).held ?? []).map(({ name = '' }) => name),
    ];
    for (const name of names) {
      const writer = name.slice(prefix.length);
      if (!name.startsWith(prefix) || this.#known.has(writer)) continue;
      this.#known.add(writer);
      void this.#wait(writer);
    }
  }

  /** Waits before taking over: a page that is only reloaded keeps its edits. */
  async #wait(writer: string): Promise<void> {
    const { signal, adopt } = this.#watched;
    const name = this.#watched.prefix + writer;
    while (!signal.aborted && !(await isFree(name))) {
      // A wait that this page aborts ends with an error, and so does the loop.
      await navigator.locks.request(name, { signal }, nothing).then(nothing, nothing);
      await new Promise((resolve) => setTimeout(resolve, reloadMs));
    }
    try {
      if (!signal.aborted) await adopt(writer);
    } finally {
      // A failed takeover is tried again at the next look.
      this.#known.delete(writer);
    }
  }
}

function nothing(): undefined {
  return undefined;
}

function isFree(name: string): Promise<boolean> {
  return navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
}

/** Returns whether the browser has locks; over plain HTTP from another machine it has none. */
function hasLocks(): boolean {
  return 'locks' in navigator;
}
