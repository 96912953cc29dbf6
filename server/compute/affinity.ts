/** The little of a pool's thread that choosing one needs. */
export interface Thread {
  readonly id: number;
  readonly currentUsage: number;
}

const rememberedMost = 4096;

/**
 * Sends the tasks of one model to the thread that had it last: its caches still hold the model's
 * pages. A preference only: work never waits for a busy thread while another one is idle.
 */
export class Affinity {
  /** Thread of each model, the one used last at the end. */
  readonly #threads = new Map<string, number>();

  /** The idle thread to take, or null when all are busy. */
  choose<Some extends Thread>(key: string | undefined, threads: Iterable<Some>): Some | null {
    const preferred = key === undefined ? undefined : this.#threads.get(key);
    let chosen: Some | null = null;
    for (const thread of threads) {
      if (thread.currentUsage > 0) continue;
      chosen ??= thread;
      if (thread.id === preferred) chosen = thread;
    }
    if (chosen && key !== undefined) this.#remember(key, chosen.id);
    return chosen;
  }

  forget(key: string): void {
    this.#threads.delete(key);
  }

  #remember(key: string, thread: number): void {
    this.#threads.delete(key);
    this.#threads.set(key, thread);
    if (this.#threads.size <= rememberedMost) return;
    const [oldest] = this.#threads.keys();
    if (oldest !== undefined) this.#threads.delete(oldest);
  }
}
