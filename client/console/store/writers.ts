import type { KeptTexts } from './kept-texts.ts';

/** A page that is loaded again holds its name again after so long. */
const reloadMs = 1_000;
/** A page that came and was closed meanwhile is found after so long. */
const lookMs = 3_000;

/** Holds a name for as long as this page is open, so that other pages know that it is. */
export function holdName(name: string, signal: AbortSignal): void {
  if (!hasLocks()) return;
  const held = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  void navigator.locks.request(name, { mode: 'shared' }, () => held);
}

interface Watched {
  /** The beginning of all names of a branch. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Goes on with what a writer left whose page is closed. */
  readonly adopt: (writer: string) => Promise<void>;
}

/** Pages of one branch in this browser: what they leave is taken over when they are closed. */
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

  /** Looks now and again: pages come and are closed while this one stays connected. */
  watch(): void {
    if (this.#watched.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.watch(), lookMs);
    void this.#look();
  }

  /** Looks for pages that came since, and for what closed ones have left. */
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

  /** A page that is only loaded again keeps what it has. */
  async #wait(writer: string): Promise<void> {
    const { signal, adopt } = this.#watched;
    const name = this.#watched.prefix + writer;
    while (!signal.aborted && !(await isFree(name))) {
      // A wait that this page gives up ends with an error, and the loop with it.
      await navigator.locks.request(name, { signal }, nothing).then(nothing, nothing);
      await new Promise((resolve) => setTimeout(resolve, reloadMs));
    }
    try {
      if (!signal.aborted) await adopt(writer);
    } finally {
      // A page that could not be taken over is tried again by the next look.
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

/** Pages that came over plain HTTP from another machine have no locks. */
function hasLocks(): boolean {
  return 'locks' in navigator;
}
