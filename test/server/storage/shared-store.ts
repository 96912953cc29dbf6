import type { Test } from 'tap';
import type { Objects } from '../../../server/storage/objects.ts';

/** A store that several clients share; each is a node of its own. */
export interface SharedStore {
  open(): Promise<Objects>;
}

export type OpenStore = (t: Test) => Promise<SharedStore>;

export async function openClients<Count extends number>(
  t: Test,
  openStore: OpenStore,
  count: Count,
): Promise<Clients<Count>> {
  const store = await openStore(t);
  const clients = await Promise.all(Array.from({ length: count }, () => store.open()));
  t.teardown(() => clients.forEach((client) => client.close()));
  return clients as Clients<Count>;
}

type Clients<Count extends number> = Count extends 1
  ? [Objects]
  : Count extends 2
    ? [Objects, Objects]
    : Objects[];

export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is none to pick');
  return item;
}

export async function collect(keys: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const key of keys) found.push(key);
  return found;
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function text(content: Uint8Array | undefined): string | undefined {
  return content === undefined ? undefined : new TextDecoder().decode(content);
}
