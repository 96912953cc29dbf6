import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';
import { realEnvironment } from '../../../server/app.ts';
import { openObjects } from '../../../server/storage/objects.ts';
import type { Objects } from '../../../server/storage/objects.ts';
import { S3Stub } from '../../support/s3-stub.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';

const drivers: Readonly<Record<string, (test: Test) => Promise<Objects>>> = {
  async file(test) {
    return openObjects(
      pathToFileURL(`${await makeTemporaryFolder(test)}/objects`).href,
      realEnvironment,
    );
  },
  async s3(test) {
    return openObjects((await S3Stub.start(test)).url, realEnvironment);
  },
};

for (const [driver, open] of Object.entries(drivers)) {
  t.test(`${driver}: a put can be read back, and the last put wins`, async (t) => {
    const objects = await open(t);
    t.equal(await objects.get('a/b.bin'), undefined);
    t.equal(await objects.head('a/b.bin'), undefined);
    t.equal(await objects.put('a/b.bin', bytes('one')), 'written');
    t.equal(await objects.put('a/b.bin', bytes('second')), 'written');
    t.equal(text(await objects.get('a/b.bin')), 'second');
    t.same(await objects.head('a/b.bin'), { byteCount: 6 });
    t.equal(await objects.get('a'), undefined, 'a folder is not an object');
    objects.close();
  });

  t.test(`${driver}: an empty object is an object`, async (t) => {
    const objects = await open(t);
    await objects.put('empty', new Uint8Array());
    t.same(await objects.head('empty'), { byteCount: 0 });
    t.equal(text(await objects.get('empty')), '');
    objects.close();
  });

  t.test(`${driver}: if-none-match writes once, whoever comes first`, async (t) => {
    const objects = await open(t);
    const tries = ['x', 'y', 'z'].map((content) =>
      objects.put('once', bytes(content), { ifNoneMatch: '*' }),
    );
    const answers = await Promise.all(tries);
    t.equal(answers.filter((answer) => answer === 'written').length, 1);
    const kept = ['x', 'y', 'z'][answers.indexOf('written')];
    t.equal(text(await objects.get('once')), kept);
    t.equal(await objects.put('once', bytes('late'), { ifNoneMatch: '*' }), 'exists');
    t.equal(text(await objects.get('once')), kept);
    objects.close();
  });

  t.test(`${driver}: list gives the keys of a prefix in byte order`, async (t) => {
    const objects = await open(t);
    const keys = ['t/a-b', 't/a.p/1', 't/a/1', 't/a/2', 't/b', 'u'];
    for (const key of keys.toReversed()) await objects.put(key, bytes(key));
    t.same(await collect(objects.list('')), keys);
    t.same(await collect(objects.list('t/')), keys.slice(0, 5));
    t.same(await collect(objects.list('t/a')), keys.slice(0, 4));
    t.same(await collect(objects.list('t/a/')), ['t/a/1', 't/a/2']);
    t.same(await collect(objects.list('none/')), []);
    objects.close();
  });

  t.test(`${driver}: delete and deletePrefix remove what they name and no more`, async (t) => {
    const objects = await open(t);
    for (const key of ['w/1/a', 'w/1/b/c', 'w/10/a', 'w/2']) await objects.put(key, bytes(key));
    await objects.delete('w/2');
    await objects.delete('w/2');
    t.equal(await objects.deletePrefix('w/1/'), 2);
    t.same(await collect(objects.list('')), ['w/10/a']);
    t.equal(await objects.deletePrefix('w/1/'), 0);
    objects.close();
  });

  t.test(`${driver}: a key that could leave the store is refused`, async (t) => {
    const objects = await open(t);
    for (const key of ['', '/', '../x', 'a/../b', 'a//b', '.staging/x', 'a/', 'ä', 'a b']) {
      await t.rejects(objects.put(key, bytes('x')), RangeError, key);
      await t.rejects(objects.get(key), RangeError, key);
    }
    await t.rejects(objects.deletePrefix('../'), RangeError);
    objects.close();
  });

  t.test(`${driver}: check resolves while the store answers`, async (t) => {
    const objects = await open(t);
    await t.resolves(objects.check());
    objects.close();
  });
}

t.test('s3: a put whose answer was lost is repeated', async (t) => {
  const stub = await S3Stub.start(t);
  const objects = await openObjects(stub.url, realEnvironment);
  stub.faults.push({ method: 'PUT', status: 503, when: 'before' });
  t.equal(await objects.put('a', bytes('a')), 'written');
  stub.faults.push({ method: 'PUT', status: 500, when: 'after' });
  t.equal(await objects.put('b', bytes('b'), { ifNoneMatch: '*' }), 'exists', 'our own first try');
  t.equal(text(await objects.get('b')), 'b');
  t.same([...stub.objects.keys()], ['some/prefix/a', 'some/prefix/b']);
  objects.close();
});

t.test('s3: more than a page of keys is listed and deleted whole', async (t) => {
  const stub = await S3Stub.start(t);
  const objects = await openObjects(stub.url, realEnvironment);
  for (let number = 0; number < 2500; number++) {
    stub.objects.set(`some/prefix/p/${String(number).padStart(5, '0')}`, Buffer.from('x'));
  }
  stub.objects.set('some/prefix/q', Buffer.from('x'));
  t.equal((await collect(objects.list('p/'))).length, 2500);
  t.equal(await objects.deletePrefix('p/'), 2500);
  t.same([...stub.objects.keys()], ['some/prefix/q']);
  objects.close();
});

t.test('an address that names no store is refused', async (t) => {
  await t.rejects(openObjects('ftp://bucket/x', realEnvironment), /file: or s3:/);
  await t.rejects(openObjects('s3://bucket/x?regoin=eu', realEnvironment), /"regoin"/);
});

async function collect(keys: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const key of keys) found.push(key);
  return found;
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function text(content: Uint8Array | undefined): string | undefined {
  return content === undefined ? undefined : new TextDecoder().decode(content);
}
