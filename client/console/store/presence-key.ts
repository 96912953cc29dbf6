import { tabTexts } from '../browser-storage.ts';
import type { PresenceNews, Snapshot } from '../../library/frames.ts';

/** Sessions that are remembered; older ones are long gone. */
const ownMost = 20;

/**
 * Hands the presence of a page to the next one in this tab, so that others do not see both. The key
 * is stored only while no page uses it, so a duplicated tab has a presence of its own.
 */
export class PresenceKey {
  readonly #name: string;

  constructor(prefix: string) {
    this.#name = `${prefix}presence`;
  }

  /** Returns the key that the last page has left, once. */
  take(): string | undefined {
    const key = tabTexts.getItem(this.#name) ?? undefined;
    tabTexts.removeItem(this.#name);
    return key;
  }

  /** Returns the sessions of this tab, including that of the newest snapshot. */
  ownAfter(frame: Snapshot | PresenceNews): ReadonlySet<string> {
    const session = frame.kind === 'presence_snapshot' ? frame['session'] : undefined;
    const name = `${this.#name}:sessions`;
    const known = (tabTexts.getItem(name) ?? '').split(' ').filter((one) => one !== '');
    if (typeof session !== 'string' || known.includes(session)) return new Set(known);
    const own = [...known, session].slice(-ownMost);
    tabTexts.setItem(name, own.join(' '));
    return new Set(own);
  }

  leave(key: string | undefined): void {
    if (key !== undefined) tabTexts.setItem(this.#name, key);
  }
}
