import type { NodeStore } from './node-store.ts';
import type { Nodes } from './nodes.ts';

/** A listener for what other processes say of who is there. */
export interface PresenceListener {
  hear(from: string, text: string): void;
  /** Called when something may have been missed. */
  missed(): void;
}

export interface PresenceBusOptions {
  readonly store: Pick<NodeStore, 'tellPresence' | 'listenForPresence'>;
  readonly key: string;
  readonly nodes: Pick<Nodes, 'isAlone' | 'isLive'>;
  readonly report: (step: string, error: unknown) => void;
}

/** Tells the other processes who is there, and hears of those who are at the others. */
export class PresenceBus {
  /** Names this part when the process is stopped. */
  readonly name = 'news of presence';
  readonly #options: PresenceBusOptions;
  #waiting: string[] = [];
  #telling: Promise<void> | undefined;
  #isStopped = false;
  #stopListening: () => Promise<void> = () => Promise.resolve();

  constructor(options: PresenceBusOptions) {
    this.#options = options;
  }

  async start(listener: PresenceListener): Promise<void> {
    const { store, key } = this.#options;
    this.#stopListening = await store.listenForPresence(
      key,
      (from, text) => this.#hear(listener, from, text),
      () => listener.missed(),
    );
  }

  /** Another version may say something else than this one understands. */
  #hear(listener: PresenceListener, from: string, text: string): void {
    try {
      listener.hear(from, text);
    } catch (error) {
      this.#options.report('read who is at another process', error);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#stopListening();
    await this.#telling;
  }

  /** Returns false where nobody would hear anything. */
  get isHeard(): boolean {
    return !this.#isStopped && !this.#options.nodes.isAlone;
  }

  isLive(node: string): boolean {
    return this.#options.nodes.isLive(node);
  }

  /** Tells one text after the other. One that is lost is made up for by whoever asks anew. */
  tell(text: string): void {
    if (!this.isHeard) return;
    this.#waiting.push(text);
    this.#telling ??= this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    const { store, key, report } = this.#options;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      try {
        await store.tellPresence(key, text);
      } catch (error) {
        this.#waiting = [];
        report('tell other processes who is there', error);
      }
    }
    this.#telling = undefined;
  }
}
