import type { PresenceNews, Snapshot } from '../../library/frames.ts';

/** Sessions that are remembered: older ones are gone for long. */
const ownMost = 20;

/**
 * Hands the presence of a page to the one that comes after it in this tab, so that nobody sees
 * both. The key lies in the tab only while no page has it: a tab that is copied is somebody else.
 */
export class PresenceKey {
  readonly #name: string;

  constructor(prefix: string) {
    this.#name = `${prefix}presence`;
  }

  /** Returns the key that the page before has left, once. */
  take(): string | undefined {
    const key = sessionStorage.getItem(this.#name) ?? undefined;
    sessionStorage.removeItem(this.#name);
    return key;
  }

  /** Returns the sessions that this tab has had, with that of the newest snapshot. */
  ownAfter(frame: Snapshot | PresenceNews): ReadonlySet<string> {
    const session = frame.kind === 'presence_snapshot' ? frame['session'] : undefined;
    const name = `${this.#name}:sessions`;
    const known = (sessionStorage.getItem(name) ?? '').split(' ').filter((one) => one !== '');
    if (typeof session !== 'string' || known.includes(session)) return new Set(known);
    const own = [...known, session].slice(-ownMost);
    sessionStorage.setItem(name, own.join(' '));
    return new Set(own);
  }

  leave(key: string | undefined): void {
    if (key !== undefined) sessionStorage.setItem(this.#name, key);
  }
}
