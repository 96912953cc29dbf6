import type { Environment } from '../model/environment.ts';
import type { HeadNews, NodeStore } from './node-store.ts';
import type { Nodes } from './nodes.ts';

/** A notification of PostgreSQL takes 8,000 bytes; a line has at most some 80. */
const newsMost = 90;
const pollMilliseconds = 1_000;

/** A listener for heads that other processes moved. */
export interface HeadListener {
  /** The heads that are known here and may be behind. */
  watched(): readonly HeadNews[];
  /** Returns those of the heads that have moved, as the database has them now. */
  moved(known: readonly HeadNews[]): Promise<readonly HeadNews[]>;
  hear(news: HeadNews): void;
}

export interface HeadBusOptions {
  readonly store: Pick<NodeStore, 'tellHeads' | 'listenForHeads'>;
  readonly key: string;
  readonly nodes: Pick<Nodes, 'isAlone'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * Tells the other processes of each commit, and hears of theirs. Notifications may be lost, so the
 * heads of what is in memory are looked up each second beside them.
 */
export class HeadBus {
  readonly #options: HeadBusOptions;
  readonly #waiting = new Map<string, HeadNews>();
  #listener: HeadListener | undefined;
  #telling: Promise<void> | undefined;
  #isStopped = false;
  #cancel: () => void = () => undefined;
  #stopListening: () => Promise<void> = () => Promise.resolve();

  constructor(options: HeadBusOptions) {
    this.#options = options;
  }

  async start(listener: HeadListener): Promise<void> {
    this.#listener = listener;
    this.#stopListening = await this.#options.store.listenForHeads(
      this.#options.key,
      (news) => {
        for (const each of news) listener.hear(each);
      },
      () => void this.#look(),
    );
    this.#rest();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#stopListening();
    await this.#telling;
  }

  /** Commits of one branch that wait to be told become one piece of news. */
  tell(news: HeadNews): void {
    if (this.#isStopped || this.#options.nodes.isAlone) return;
    this.#waiting.set(`${news.workbookId}/${news.branchNo}`, news);
    this.#telling ??= this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    const { store, key, report } = this.#options;
    while (this.#waiting.size > 0) {
      const news = [...this.#waiting].slice(0, newsMost);
      for (const [name] of news) this.#waiting.delete(name);
      try {
        await store.tellHeads(
          key,
          news.map(([, each]) => each),
        );
      } catch (error) {
        // Whoever has not heard of it looks the heads up.
        report('tell other processes of commits', error);
      }
    }
    this.#telling = undefined;
  }

  #rest(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.environment.after(pollMilliseconds, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    if (!this.#options.nodes.isAlone) await this.#look();
    this.#rest();
  }

  async #look(): Promise<void> {
    const listener = this.#listener;
    const known = listener?.watched() ?? [];
    if (!listener || known.length === 0 || this.#isStopped) return;
    try {
      for (const news of await listener.moved(known)) listener.hear(news);
    } catch (error) {
      this.#options.report('look up the heads of branches', error);
    }
  }
}
