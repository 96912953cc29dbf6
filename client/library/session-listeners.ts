import type { SessionEvents } from './session-options.ts';

/** The listeners of a session, by the name of their event. */
export class SessionListeners {
  readonly #listeners = new Map<string, Set<(event: never) => void>>();

  /** Adds a listener; returns the function that removes it. */
  add<Name extends keyof SessionEvents>(
    name: Name,
    listener: (event: SessionEvents[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  tell<Name extends keyof SessionEvents>(name: Name, event: SessionEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }
}
