import { openDriver, type DriverOptions } from './driver.ts';
import type { Sql } from './pool-type.ts';

interface Listener {
  hear(payload: string): void;
  /** Notifications may have been missed before. */
  listens(): void;
}

/**
 * Receives notifications, on a separate connection for all channels. A lost connection is replaced,
 * and each listener is told that it listens again.
 */
export class Listening {
  readonly #driver: DriverOptions;
  readonly #channels = new Map<string, Set<Listener>>();
  #sql: Sql | undefined;
  #isEnded = false;

  constructor(driver: DriverOptions) {
    this.#driver = driver;
  }

  /** Listens; resolves once all later notifications will be received. */
  async listen(
    channel: string,
    hear: (payload: string) => void,
    listens: () => void = () => undefined,
  ): Promise<{ unlisten(): Promise<void> }> {
    const listener = { hear, listens };
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    await this.#begin(channel);
    const unlisten = (): Promise<void> => {
      listeners.delete(listener);
      if (listeners.size > 0) return Promise.resolve();
      // The connection stays; later notifications on the channel have no listener.
      this.#channels.delete(channel);
      return Promise.resolve();
    };
    return { unlisten };
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#sql?.end({ timeout: 0 });
  }

  async #begin(channel: string): Promise<void> {
    this.#sql ??= this.#open();
    await this.#sql.unsafe(`listen "${channel}"`);
    for (const listener of this.#channels.get(channel) ?? []) listener.listens();
  }

  #open(): Sql {
    const sql = openDriver({
      ...this.#driver,
      connectionCount: 1,
      onNotification: (channel, payload) => {
        for (const listener of this.#channels.get(channel) ?? []) listener.hear(payload);
      },
      onClose: () => {
        if (this.#isEnded || sql !== this.#sql) return;
        this.#sql = undefined;
        void sql.end({ timeout: 0 });
        void this.#beginAgain();
      },
    });
    return sql;
  }

  /** Begins again; each attempt that fails closes its connection, and so is followed by another. */
  async #beginAgain(): Promise<void> {
    const channels = [...this.#channels.keys()];
    await Promise.allSettled(channels.map((channel) => this.#begin(channel)));
  }
}
