import * as fc from 'fast-check';
import type { Test } from 'tap';
import type { Objects } from '../../../server/storage/objects.ts';
import type { SuiteOptions } from './objects-suite.ts';
import { collect } from './shared-store.ts';
import type { OpenStore } from './shared-store.ts';

/**
 * Random histories of several clients against a map. Calls of one round are under way at the same
 * time; what they may answer is settled between rounds.
 */

type SingleCall =
  | { readonly kind: 'put' | 'putIfAbsent'; readonly size: number }
  | { readonly kind: 'get' | 'head' | 'delete' }
  | { readonly kind: 'getRange'; readonly start: number; readonly length: number };

type Round =
  /** Each on a key of its own. */
  | { readonly kind: 'apart'; readonly calls: readonly SingleCall[]; readonly shift: number }
  /** Conditional puts and reads of one key. */
  | { readonly kind: 'contest'; readonly key: string; readonly count: number }
  /** Plain puts and reads of one key. */
  | { readonly kind: 'overwrite'; readonly key: string; readonly count: number }
  | { readonly kind: 'list' | 'deletePrefix'; readonly prefix: string };

const keys = ['a/1', 'a/2', 'a/b/1', 'a/b/2', 'a-b', 'b/c/d/e', 'b.c', 'c'];
const prefixes = ['', 'a', 'a/', 'a/b', 'a/b/', 'b', 'b/', 'c', 'zz/'];
const clientCount = 3;
const sizeMost = 9000;

const single: fc.Arbitrary<SingleCall> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('put' as const, 'putIfAbsent' as const),
    size: fc.nat(sizeMost),
  }),
  fc.record({ kind: fc.constantFrom('get' as const, 'head' as const, 'delete' as const) }),
  fc.record({
    kind: fc.constant('getRange' as const),
    start: fc.nat(sizeMost),
    length: fc.nat(sizeMost),
  }),
);

const ofOneKey = {
  key: fc.constantFrom(...keys),
  count: fc.integer({ min: 2, max: 6 }),
};

const round: fc.Arbitrary<Round> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('apart' as const),
      calls: fc.array(single, { minLength: 1, maxLength: keys.length }),
      shift: fc.nat(keys.length - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('contest' as const), ...ofOneKey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('overwrite' as const), ...ofOneKey }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      prefix: fc.constantFrom(...prefixes),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deletePrefix' as const),
      prefix: fc.constantFrom(...prefixes),
    }),
  },
);

export async function testHistories(
  t: Test,
  openStore: OpenStore,
  { seed, historyCount }: SuiteOptions,
): Promise<void> {
  const store = await openStore(t);
  const clients = await Promise.all(Array.from({ length: clientCount }, () => store.open()));
  t.teardown(() => clients.forEach((client) => client.close()));
  let callCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 12 }), async (rounds) => {
      const [first] = clients;
      await first?.deletePrefix('');
      const history = new History(clients);
      for (const one of rounds) await history.run(one);
      const late = await store.open();
      await history.compareAll(late);
      late.close();
      callCount += history.callCount;
    }),
    { seed, numRuns: historyCount, endOnFailure: true },
  );
  t.ok(callCount > 0, `${callCount} calls`);
}

class History {
  callCount = 0;
  readonly #clients: readonly Objects[];
  readonly #model = new Map<string, Buffer>();
  #contentCount = 0;

  constructor(clients: readonly Objects[]) {
    this.#clients = clients;
  }

  async run(one: Round): Promise<void> {
    switch (one.kind) {
      case 'apart':
        await Promise.all(
          one.calls.map((call, index) => this.#single(call, keyAt(index + one.shift))),
        );
        return;
      case 'contest':
        return this.#contest(one.key, one.count);
      case 'overwrite':
        return this.#overwrite(one.key, one.count);
      case 'list':
        requireSame(await collect(this.#client().list(one.prefix)), this.#below(one.prefix));
        return;
      case 'deletePrefix': {
        const gone = this.#below(one.prefix);
        requireSame(await this.#client().deletePrefix(one.prefix), gone.length);
        for (const key of gone) this.#model.delete(key);
      }
    }
  }

  /** The whole store, as a client that was not there sees it. */
  async compareAll(client: Objects): Promise<void> {
    requireSame(await collect(client.list('')), this.#below(''));
    for (const [key, due] of this.#model) requireBytes(await client.get(key), due, key);
  }

  async #single(call: SingleCall, key: string): Promise<void> {
    const client = this.#client();
    const due = this.#model.get(key);
    switch (call.kind) {
      case 'put':
      case 'putIfAbsent':
        return this.#put(call, key);
      case 'get':
        requireBytes(await client.get(key), due, key);
        return;
      case 'head':
        requireSame(await client.head(key), due && { byteCount: due.length });
        return;
      case 'getRange': {
        const found = await client.getRange(key, call.start, call.length);
        requireBytes(found, due?.subarray(call.start, call.start + call.length), key);
        return;
      }
      case 'delete':
        this.#model.delete(key);
        await client.delete(key);
    }
  }

  async #put({ kind, size }: SingleCall & { size: number }, key: string): Promise<void> {
    const content = this.#content(size);
    const writes = kind === 'put' || !this.#model.has(key);
    if (writes) this.#model.set(key, content);
    const options = kind === 'put' ? undefined : ({ ifNoneMatch: '*' } as const);
    const answer = await this.#client().put(key, content, options);
    requireSame(answer, writes ? 'written' : 'exists');
  }

  async #contest(key: string, count: number): Promise<void> {
    const before = this.#model.get(key);
    const contents = this.#contents(count);
    const puts = contents.map((content) => this.#client().put(key, content, { ifNoneMatch: '*' }));
    const reads = contents.map(() => this.#client().get(key));
    const answers = await Promise.all(puts);
    const winners = contents.filter((_, index) => answers[index] === 'written');
    requireSame(winners.length, before === undefined ? 1 : 0);
    const [after = before] = winners;
    if (after !== undefined) this.#model.set(key, after);
    for (const found of await Promise.all(reads)) {
      if (before !== undefined || found !== undefined) requireBytes(found, after, key);
    }
    requireBytes(await this.#client().get(key), after, key);
  }

  async #overwrite(key: string, count: number): Promise<void> {
    const before = this.#model.get(key);
    const contents = this.#contents(count);
    const puts = contents.map((content) => this.#client().put(key, content));
    const reads = contents.map(() => this.#client().get(key));
    requireSame(
      await Promise.all(puts),
      puts.map(() => 'written'),
    );
    for (const found of await Promise.all(reads)) {
      requireOneOf(found, [before, ...contents], key);
    }
    const after = await this.#client().get(key);
    const kept = contents.find((content) => after !== undefined && content.equals(after));
    requireBytes(after, kept ?? Buffer.from('one of those put'), key);
    if (kept !== undefined) this.#model.set(key, kept);
  }

  #client(): Objects {
    const client = this.#clients[this.callCount++ % this.#clients.length];
    if (client === undefined) throw new Error('a history needs clients');
    return client;
  }

  #contents(count: number): Buffer[] {
    return Array.from({ length: count }, () =>
      this.#content((this.#contentCount * 977) % sizeMost),
    );
  }

  /** No two are equal. */
  #content(size: number): Buffer {
    const mark = `${++this.#contentCount};`;
    return Buffer.from(mark.padEnd(size, mark));
  }

  #below(prefix: string): string[] {
    return [...this.#model.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}

function keyAt(index: number): string {
  return keys[index % keys.length] ?? '';
}

function requireSame(found: unknown, due: unknown): void {
  const [foundText, dueText] = [found, due].map(plain);
  if (foundText !== dueText) throw new Error(`${foundText ?? ''} instead of ${dueText ?? ''}`);
}

function plain(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function requireBytes(found: Uint8Array | undefined, due: Buffer | undefined, key: string): void {
  requireOneOf(found, [due], key);
}

function requireOneOf(
  found: Uint8Array | undefined,
  due: readonly (Buffer | undefined)[],
  key: string,
): void {
  const fits = due.some((one) => (one === undefined ? found === undefined : same(one, found)));
  if (!fits) throw new Error(`${key}: ${show(found)} instead of ${due.map(show).join(' or ')}`);
}

function same(one: Buffer, other: Uint8Array | undefined): boolean {
  return other !== undefined && one.equals(other);
}

function show(content: Uint8Array | undefined): string {
  if (content === undefined) return 'nothing';
  return `${content.length} bytes "${Buffer.from(content.subarray(0, 12)).toString()}"`;
}
