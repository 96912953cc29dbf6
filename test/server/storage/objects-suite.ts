import type { Test } from 'tap';
import { testHistories } from './objects-histories.ts';
import { bytes, collect, openClients, pick, text } from './shared-store.ts';
import type { OpenStore } from './shared-store.ts';

export interface SuiteOptions {
  readonly seed: number;
  /** How many random histories are run. */
  readonly historyCount: number;
  /** Leaves out what no fault of this world can touch; everything when left out. */
  readonly parts?: readonly SuitePart[];
}

const parts = {
  'single calls': testSingleCalls,
  keys: testKeys,
  'several at once': testAtOnce,
  'large objects': testLarge,
  'random histories': testHistories,
};

export type SuitePart = keyof typeof parts;

const mebibyte = 2 ** 20;

/** Tests the promises that every driver keeps, whatever goes wrong below it. */
export async function testObjects(
  t: Test,
  openStore: OpenStore,
  options: SuiteOptions,
): Promise<void> {
  for (const part of options.parts ?? (Object.keys(parts) as SuitePart[])) {
    await t.test(part, (t) => parts[part](t, openStore, options));
  }
}

async function testSingleCalls(t: Test, openStore: OpenStore): Promise<void> {
  await t.test('a put can be read back, and the last put wins', async (t) => {
    const [one, other] = await openClients(t, openStore, 2);
    t.equal(await one.get('a/b.bin'), undefined);
    t.equal(await one.head('a/b.bin'), undefined);
    t.equal(await one.getRange('a/b.bin', 0, 1), undefined);
    t.equal(await one.getRange('a/b.bin', 0, 0), undefined);
    t.equal(await one.put('a/b.bin', bytes('one')), 'written');
    t.equal(await one.put('a/b.bin', bytes('second')), 'written');
    t.equal(text(await other.get('a/b.bin')), 'second');
    t.same(await other.head('a/b.bin'), { byteCount: 6 });
    t.equal(await one.get('a'), undefined, 'a folder is not an object');
    t.equal(await one.head('a'), undefined);
    t.equal(await one.getRange('a', 0, 0), undefined);
    t.equal(await one.getRange('a', 0, 4), undefined);
  });

  await t.test('an empty object is an object', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    await objects.put('empty', new Uint8Array());
    t.same(await objects.head('empty'), { byteCount: 0 });
    t.equal(text(await objects.get('empty')), '');
    t.equal(text(await objects.getRange('empty', 0, 10)), '');
    t.equal(text(await objects.getRange('empty', 5, 0)), '');
  });

  await t.test('a range is what there is of it', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    const whole = '0123456789';
    await objects.put('digits', bytes(whole));
    for (const start of [0, 1, 9, 10, 11, 2 ** 40]) {
      for (const length of [0, 1, 9, 10, 11, 2 ** 40]) {
        const found = text(await objects.getRange('digits', start, length));
        t.equal(found, whole.slice(start, start + length), `${length} from ${start}`);
      }
    }
    const wrong = [
      [-1, 1],
      [0, -1],
      [0.5, 1],
      [0, Number.NaN],
      [Number.MAX_SAFE_INTEGER, 1],
    ] as const;
    for (const [start, length] of wrong) {
      await t.rejects(objects.getRange('digits', start, length), RangeError, `${start} ${length}`);
    }
  });

  await t.test('list gives the keys of a prefix in byte order', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    const keys = ['t/a-b', 't/a.p/1', 't/a/1', 't/a/2', 't/a0', 't/aZ', 't/a_', 't/aa', 't/b', 'u'];
    await Promise.all(keys.toReversed().map((key) => objects.put(key, bytes(key))));
    t.same(await collect(objects.list('')), keys);
    t.same(await collect(objects.list('t/')), keys.slice(0, 9));
    t.same(await collect(objects.list('t/a')), keys.slice(0, 8));
    t.same(await collect(objects.list('t/a/')), ['t/a/1', 't/a/2']);
    t.same(await collect(objects.list('t/b/')), []);
    t.same(await collect(objects.list('none/')), []);
  });

  await t.test('delete and deletePrefix remove what they name and no more', async (t) => {
    const [objects, other] = await openClients(t, openStore, 2);
    for (const key of ['w/1/a', 'w/1/b/c', 'w/10/a', 'w/2']) await objects.put(key, bytes(key));
    await objects.delete('w/2');
    await objects.delete('w/2');
    t.equal(await objects.deletePrefix('w/1/'), 2);
    t.same(await collect(other.list('')), ['w/10/a']);
    t.equal(await other.deletePrefix('w/1/'), 0);
    t.equal(await objects.put('w/1/a', bytes('again'), { ifNoneMatch: '*' }), 'written');
  });

  await t.test('check resolves while the store answers', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    await t.resolves(objects.check());
  });
}

async function testKeys(t: Test, openStore: OpenStore): Promise<void> {
  await t.test('a key that could leave the store is refused', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    const wrong = [
      '',
      '/',
      '../x',
      'a/../b',
      'a//b',
      '.staging/x',
      'a/',
      'ä',
      'a b',
      'a\\b',
      'a\0',
    ];
    for (const key of wrong) {
      await t.rejects(objects.put(key, bytes('x')), RangeError, key);
      await t.rejects(objects.get(key), RangeError, key);
      await t.rejects(objects.getRange(key, 0, 1), RangeError, key);
      await t.rejects(objects.head(key), RangeError, key);
      await t.rejects(objects.delete(key), RangeError, key);
    }
    await t.rejects(objects.deletePrefix('../'), RangeError);
    await t.rejects(collect(objects.list('/')), RangeError);
  });

  await t.test('keys up to the limits are kept, and no longer ones', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    const name = 'n'.repeat(255);
    const long = [name, name, name, 'n'.repeat(132)].join('/');
    const deep = Array.from({ length: 450 }, () => 'd').join('/') + 'd';
    t.equal(long.length, 900);
    t.equal(deep.length, 900);
    for (const key of [long, deep]) {
      t.equal(await objects.put(key, bytes('there'), { ifNoneMatch: '*' }), 'written');
      t.equal(text(await objects.get(key)), 'there');
      await t.rejects(objects.put(`${key}x`, bytes('x')), RangeError);
    }
    await t.rejects(objects.put(`${name}n`, bytes('x')), RangeError);
    t.same(await collect(objects.list('')), [deep, long]);
    t.equal(await objects.deletePrefix('d/'), 1);
    t.equal(await objects.deletePrefix(''), 1);
  });
}

async function testAtOnce(t: Test, openStore: OpenStore): Promise<void> {
  await t.test('of conditional puts at one time exactly one writes', async (t) => {
    const clients = await openClients(t, openStore, 4);
    for (const isEqual of [false, true]) {
      const key = `once/${String(isEqual)}`;
      const contents = Array.from({ length: 16 }, (_, index) => (isEqual ? 'x' : `x${index}`));
      const answers = await Promise.all(
        contents.map((content, index) =>
          pick(clients, index).put(key, bytes(content), { ifNoneMatch: '*' }),
        ),
      );
      t.equal(answers.filter((answer) => answer === 'written').length, 1);
      const kept = contents[answers.indexOf('written')];
      for (const client of clients) t.equal(text(await client.get(key)), kept);
      const late = await pick(clients, 0).put(key, bytes('late'), { ifNoneMatch: '*' });
      t.equal(late, 'exists');
      t.equal(text(await pick(clients, 1).get(key)), kept);
    }
  });

  await t.test('64 calls at once are answered as if alone', async (t) => {
    const clients = await openClients(t, openStore, 2);
    const numbers = Array.from({ length: 64 }, (_, index) => index);
    const key = (number: number): string => `load/${number % 8}/${number}`;
    const content = (number: number): string => String(number).repeat(200 * (number + 1));
    await Promise.all(
      numbers.map((number) => pick(clients, number).put(key(number), bytes(content(number)))),
    );
    const found = await Promise.all(
      numbers.map((number) => pick(clients, number + 1).get(key(number))),
    );
    t.same(found.map(text), numbers.map(content));
    const parts = await Promise.all(
      numbers.map((number) => pick(clients, number).getRange(key(number), number, 10)),
    );
    t.same(
      parts.map(text),
      numbers.map((number) => content(number).slice(number, number + 10)),
    );
    t.equal((await collect(pick(clients, 0).list('load/'))).length, 64);
    await Promise.all(numbers.map((number) => pick(clients, number).delete(key(number))));
    t.same(await collect(pick(clients, 1).list('')), []);
  });

  await t.test('a put goes through while what is beside it is deleted', async (t) => {
    const [one, other] = await openClients(t, openStore, 2);
    for (let round = 0; round < 10; round++) {
      await one.put('p/gone/x', bytes('x'));
      const puts = ['p/stays/1', 'p/stays/2'].map((key) => other.put(key, bytes(`${round}`)));
      await Promise.all([one.deletePrefix('p/gone/'), ...puts]);
      t.same(await collect(other.list('p/')), ['p/stays/1', 'p/stays/2']);
      await Promise.all([one.delete('p/stays/1'), one.deletePrefix('p/stays/2')]);
    }
  });
}

async function testLarge(t: Test, openStore: OpenStore): Promise<void> {
  await t.test('8 MiB come back as they were', async (t) => {
    const [objects] = await openClients(t, openStore, 1);
    const large = patterned(8 * mebibyte, 3);
    t.equal(await objects.put('large', large), 'written');
    t.ok(large.equals((await objects.get('large')) ?? new Uint8Array()));
    t.same(await objects.head('large'), { byteCount: large.length });
    for (const start of [0, 1, 4 * mebibyte - 1, 8 * mebibyte - 5]) {
      const part = await objects.getRange('large', start, 70_000);
      t.ok(large.subarray(start, start + 70_000).equals(part ?? new Uint8Array()));
    }
    t.equal(await objects.put('large', bytes('x'), { ifNoneMatch: '*' }), 'exists');
  });

  await t.test('who reads while an object is replaced gets one of the two whole', async (t) => {
    const [writer, reader] = await openClients(t, openStore, 2);
    const versions = [patterned(mebibyte, 5), patterned(mebibyte + 4096, 7)] as const;
    await writer.put('changing', versions[0]);
    const writing = (async () => {
      for (let round = 0; round < 10; round++) {
        await writer.put('changing', versions[round % 2 === 0 ? 1 : 0]);
      }
    })();
    for (let count = 0; count < 20; count++) {
      const found = Buffer.from((await reader.get('changing')) ?? []);
      if (!versions.some((version) => version.equals(found))) t.fail('neither of the two');
    }
    await writing;
    t.ok(versions[0].equals((await reader.get('changing')) ?? new Uint8Array()));
  });
}

function patterned(byteCount: number, step: number): Buffer {
  const pattern = Buffer.alloc(byteCount);
  for (let at = 0; at < byteCount; at++) pattern[at] = (at * step + (at >> 8)) & 0xff;
  return pattern;
}
