import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import type { IdentityStore } from './identity-store.ts';

/** Names never change after a registration, so they are cached without an end. */
const heldMost = 10_000;

/** Names of people and agents; each is read from the database once. */
export class KnownNames implements IdentityNames {
  readonly #store: Pick<IdentityStore, 'namesOf'>;
  readonly #held = new LRUCache<string, string>(boundedTo(heldMost));

  constructor(store: Pick<IdentityStore, 'namesOf'>) {
    this.#store = store;
  }

  async of(ids: Iterable<string>): Promise<(id: string) => string> {
    const names = new Map<string, string>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const held = this.#held.get(id);
      if (held === undefined) unknown.push(id);
      else names.set(id, held);
    }
    const found = unknown.length > 0 ? await this.#store.namesOf(unknown) : [];
    for (const [id, name] of found) {
      names.set(id, name);
      this.#held.set(id, name);
    }
    return (id) => names.get(id) ?? id;
  }
}
