import dns from 'node:dns';
import t from 'tap';
import type { Test } from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { Failure } from '../../../server/model/failure.ts';
import { DamagedObject } from '../../../server/storage/damaged-object.ts';
import { openS3Objects } from '../../../server/storage/objects-s3.ts';
import type { Objects } from '../../../server/storage/objects.ts';
import type { PatienceLimits } from '../../../server/storage/patience.ts';
import { failureOf } from '../../support/failure-of.ts';
import { quickPatience } from '../../support/quick-patience.ts';
import type { Fault } from '../../support/s3/faults.ts';
import { S3Server } from '../../support/s3/server.ts';
import type { S3ServerOptions } from '../../support/s3/server.ts';
import { bytes, collect, text } from './shared-store.ts';

/** Runs long: it waits for a storage that fails and comes back. */

const ifAbsent = { ifNoneMatch: '*' } as const;

/** A second is enough for what succeeds here, also on a busy machine. */
const short: PatienceLimits = {
  ...quickPatience,
  callMilliseconds: 1000,
  attemptMilliseconds: 100,
};

async function open(
  t: Test,
  options: Partial<S3ServerOptions> = {},
  limits = quickPatience,
): Promise<{ server: S3Server; objects: Objects }> {
  const server = await S3Server.start(t, options);
  const objects = openS3Objects(new URL(server.url), realEnvironment, limits);
  t.teardown(() => objects.close());
  return { server, objects };
}

t.test('every put carries the SHA-256 of its bytes, also as what was signed', async (t) => {
  const { server, objects } = await open(t);
  await objects.put('a', bytes('hello'));
  t.match(server.seen[0]?.headers, {
    'x-amz-checksum-sha256': 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    'x-amz-content-sha256': '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    'content-length': '5',
  });
  t.equal(server.seen[0]?.headers['content-encoding'], undefined, 'no chunks around it');
  t.equal(server.seen[0]?.headers['x-amz-trailer'], undefined);
});

t.test('a conditional put whose answer is lost learns that it was the one', async (t) => {
  const lost: readonly Fault[] = [
    { kind: 'lostAnswer' },
    { kind: 'error', status: 500, code: 'InternalError', when: 'after' },
    { kind: 'silence', when: 'after' },
  ];
  const { server, objects } = await open(t, {}, short);
  for (const fault of lost) {
    server.faults.add({ operations: ['put'], count: 1, fault });
    t.equal(await objects.put(fault.kind, bytes('mine'), ifAbsent), 'written', fault.kind);
    const puts = server.seen.filter(
      ({ operation, key }) => operation === 'put' && key.endsWith(fault.kind),
    );
    t.equal(puts.length, 1, 'and does not send it again');
  }
});

t.test('a conditional put that lost both its answer and the race learns that, too', async (t) => {
  const { server, objects } = await open(t);
  const other = openS3Objects(new URL(server.url), realEnvironment, quickPatience);
  t.teardown(() => other.close());
  server.faults.add({ operations: ['put'], count: 1, fault: { kind: 'reset' } });
  server.faults.add({
    operations: ['head'],
    count: 1,
    fault: { kind: 'delay', milliseconds: 300, when: 'before' },
  });
  const late = objects.put('a', bytes('same'), ifAbsent);
  while (!server.seen.some(({ operation }) => operation === 'head')) await turn();
  t.equal(await other.put('a', bytes('same'), ifAbsent), 'written');
  t.equal(await late, 'exists', 'though the bytes are the same');
});

t.test('an attempt given up may still take effect, and counts as ours', async (t) => {
  const { server, objects } = await open(t, {}, short);
  const slow = { kind: 'delay', milliseconds: 250, when: 'before' } as const;
  server.faults.add({ operations: ['put'], count: 1, fault: slow });
  t.equal(await objects.put('a', bytes('mine'), ifAbsent), 'written');
  t.equal(text(server.bucket.get('some/prefix/a').bytes), 'mine');
  t.equal(await objects.put('a', bytes('mine'), ifAbsent), 'exists');
});

const deaths: Readonly<Record<string, (server: S3Server) => void>> = {
  'refuses connections': (server) => server.goAway(),
  'is always busy': (server) =>
    server.faults.add({ fault: { kind: 'error', status: 503, code: 'SlowDown', when: 'before' } }),
  'says nothing': (server) => server.faults.add({ fault: { kind: 'silence', when: 'before' } }),
  'stops in the middle': (server) => {
    server.faults.add({ operations: ['get', 'getRange', 'list'], fault: { kind: 'stalledBody' } });
    server.faults.add({ fault: { kind: 'silence', when: 'after' } });
  },
  'hangs up': (server) => server.faults.add({ fault: { kind: 'reset' } }),
};

/** Asks again while the store is unavailable: on a busy machine, 400 ms are short for any store. */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Failure && error.key === 'unavailable')) throw error;
    }
  }
}

for (const [name, die] of Object.entries(deaths)) {
  t.test(`a store that ${name} is unavailable, in time, until it is back`, async (t) => {
    const { server, objects } = await open(t, {}, { ...short, callMilliseconds: 400 });
    await answered(() => objects.put('there', bytes('there')));
    die(server);
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      put: () => objects.put('a', bytes('a')),
      putIfAbsent: () => objects.put('b', bytes('b'), ifAbsent),
      get: () => objects.get('there'),
      getRange: () => objects.getRange('there', 1, 2),
      head: () => objects.head('there'),
      list: () => collect(objects.list('')),
      delete: () => objects.delete('c'),
      deletePrefix: () => objects.deletePrefix('d'),
      check: () => objects.check(),
    };
    await Promise.all(
      Object.entries(calls).map(async ([call, run]) => {
        const started = performance.now();
        const failure = await failureOf(run);
        const milliseconds = performance.now() - started;
        t.equal(failure?.code, 'unavailable', call);
        t.equal(failure?.detail, 'The object store does not answer.');
        t.ok(failure?.cause instanceof Error);
        t.comment(`${call} took ${milliseconds.toFixed(0)} ms`);
      }),
    );
    server.faults.clear();
    if (name === 'refuses connections') await server.comeBack();
    t.equal(text(await answered(() => objects.get('there'))), 'there');
  });
}

t.test('an answer that comes before a large body was sent is understood', async (t) => {
  const { server, objects } = await open(t);
  const large = Buffer.alloc(8 * 2 ** 20, 'large');
  const early = (status: number, code: string): void =>
    server.faults.add({
      operations: ['put'],
      count: 1,
      fault: { kind: 'earlyError', status, code },
    });
  early(503, 'SlowDown');
  t.equal(await objects.put('a', large, ifAbsent), 'written');
  early(412, 'PreconditionFailed');
  t.equal(await objects.put('a', large, ifAbsent), 'exists');
  early(500, 'InternalError');
  t.equal(await objects.put('a', large), 'written');
});

t.test('what is damaged in the store is an error and not data', async (t) => {
  const { server, objects } = await open(t);
  await objects.put('a', bytes('good bytes'));
  const stored = server.bucket.get('some/prefix/a');
  const damage = {
    'a bit': Buffer.from('gooe bytes'),
    'the end': Buffer.from('good byte'),
    everything: Buffer.alloc(0),
    'what was appended': Buffer.from('good bytes.'),
  };
  for (const [what, wrong] of Object.entries(damage)) {
    server.bucket.objects.set('some/prefix/a', { ...stored, bytes: wrong });
    const error = await objects.get('a').catch((caught: unknown) => caught);
    t.ok(error instanceof DamagedObject && error.key === 'a', what);
  }
  server.bucket.objects.set('some/prefix/a', {
    ...stored,
    bytes: Buffer.from('other'),
    headers: {},
  });
  t.equal(text(await objects.get('a')), 'other', 'what others put there has no sum to compare');
});

t.test('a store without ranges costs more and answers the same', async (t) => {
  const { objects } = await open(t, { knowsRanges: false });
  await objects.put('a', bytes('0123456789'));
  t.equal(text(await objects.getRange('a', 3, 4)), '3456');
  t.equal(text(await objects.getRange('a', 8, 4)), '89');
  t.equal(text(await objects.getRange('a', 10, 4)), '');
});

t.test('a refusal is told at once, and an absent bucket is not an absent object', async (t) => {
  const { server, objects } = await open(t);
  const elsewhere = new URL(server.url.replace('s3://bucket', 's3://no-bucket'));
  const wrongBucket = openS3Objects(elsewhere, realEnvironment);
  for (const call of [
    () => wrongBucket.get('a'),
    () => wrongBucket.head('a'),
    () => wrongBucket.getRange('a', 0, 1),
    () => wrongBucket.put('a', bytes('a')),
    () => wrongBucket.delete('a'),
    () => wrongBucket.check(),
    () => collect(wrongBucket.list('')),
  ]) {
    const failure = await failureOf(call);
    t.equal(failure?.detail, 'The object store refuses what is asked of it.');
  }
  wrongBucket.close();
  const wrongRegion = new URL(server.url.replace('us-east-1', 'eu-west-1'));
  const misled = openS3Objects(wrongRegion, realEnvironment);
  t.match(await failureOf(() => misled.get('a')), { code: 'unavailable' });
  misled.close();
  t.equal(await objects.get('a'), undefined);
});

t.test('a clock that is wrong by hours is corrected by what the store says', async (t) => {
  const { objects } = await open(t, { now: () => Date.now() + 3 * 60 * 60_000 });
  t.equal(await objects.put('a', bytes('a')), 'written');
  t.equal(text(await objects.get('a')), 'a');
});

t.test(
  'more than a page is listed and deleted whole, and markers of folders are not',
  async (t) => {
    const { server, objects } = await open(t, { pageSizeMost: 1000 });
    await objects.put('q', bytes('x'));
    const stored = server.bucket.get('some/prefix/q');
    for (let number = 0; number < 2500; number++) {
      server.bucket.objects.set(`some/prefix/p/${String(number).padStart(5, '0')}`, stored);
    }
    server.bucket.objects.set('some/prefix/p/', stored);
    server.bucket.objects.set('some/prefix/p/not a key', stored);
    server.bucket.objects.set('some/prefixes/p/1', stored);
    t.equal((await collect(objects.list('p/'))).length, 2500);
    t.equal(await objects.deletePrefix('p/'), 2500);
    t.same(await collect(objects.list('')), ['q']);
    t.ok(server.bucket.objects.has('some/prefixes/p/1'), 'another store beside ours');
  },
);

t.test('an older listing misleads neither list nor deletePrefix', async (t) => {
  const { server, objects } = await open(t, { pageSizeMost: 3 });
  const keys = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'];
  const stale = (changes: number, count: number): void =>
    server.faults.add({ operations: ['list'], count, fault: { kind: 'staleList', changes } });
  for (const key of keys) await objects.put(key, bytes(key));
  stale(5, 1);
  t.equal(await objects.deletePrefix('a/'), 5, 'though nothing was shown at first');
  t.same([...server.bucket.objects.keys()], []);
  for (const key of keys) await objects.put(key, bytes(key));
  stale(0, 2);
  stale(5, 2);
  t.equal(await objects.deletePrefix('a/'), 5, 'counts no key again');
  t.same([...server.bucket.objects.keys()], []);

  for (const key of keys) await objects.put(key, bytes(key));
  for (const key of ['a/2', 'a/4']) await objects.delete(key);
  stale(2, 1);
  const found = await collect(objects.list('a/'));
  t.same(found, ['a/1', 'a/2', 'a/3', 'a/5'], 'the first page of before, the second of now');
});

t.test('a page that is not the next one is not taken for it', async (t) => {
  const { server, objects } = await open(
    t,
    { pageSizeMost: 2 },
    { ...short, callMilliseconds: 300 },
  );
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const key of keys) await objects.put(key, bytes(key));
  server.faults.add({ operations: ['list'], count: 2, fault: { kind: 'firstPage' } });
  t.same(await collect(objects.list('')), keys);
  server.faults.add({ operations: ['list'], fault: { kind: 'firstPage' } });
  const failure = await failureOf(() => collect(objects.list('')));
  t.equal(failure?.code, 'unavailable');
});

t.test('a store that lists for ever is unavailable', async (t) => {
  const { server, objects } = await open(t, {}, short);
  await objects.put('a', bytes('a'));
  server.faults.add({ operations: ['list'], fault: { kind: 'staleList', changes: 1 } });
  await objects.delete('a');
  const failure = await failureOf(() => objects.deletePrefix(''));
  t.equal(failure?.code, 'unavailable');
});

t.test('no more calls are under way than there are connections', async (t) => {
  const { server, objects } = await open(t);
  server.faults.add({ fault: { kind: 'delay', milliseconds: 5, when: 'before' } });
  const numbers = Array.from({ length: 150 }, (_, index) => index);
  await Promise.all(numbers.map((number) => objects.put(`k/${number}`, bytes(`${number}`))));
  const found = await Promise.all(numbers.map((number) => objects.get(`k/${number}`)));
  t.same(found.map(text), numbers.map(String));
  t.ok(server.inFlightMost > 16 && server.inFlightMost <= 64, `${server.inFlightMost}`);
});

t.test('closing ends the calls that are under way', async (t) => {
  const { server, objects } = await open(t);
  server.faults.add({ fault: { kind: 'silence', when: 'before' } });
  const pending = [objects.get('a'), objects.put('b', bytes('b')), objects.check()];
  const outcomes = Promise.allSettled(pending);
  while (server.seen.length < pending.length) await turn();
  objects.close();
  t.same(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  await t.rejects(objects.get('a'));
});

t.test('the bucket may be in the name of the host', async (t) => {
  const server = await S3Server.start(t);
  const { lookup } = dns;
  t.teardown(() => {
    dns.lookup = lookup;
  });
  const names: string[] = [];
  const toHere = (name: string, options: object, onFound: (...found: unknown[]) => void): void => {
    names.push(name);
    const isAll = 'all' in options && options.all === true;
    if (isAll) onFound(null, [{ address: '127.0.0.1', family: 4 }]);
    else onFound(null, '127.0.0.1', 4);
  };
  Object.assign(dns, { lookup: toHere });
  const { port } = new URL(server.endpoint);
  const url = `s3://bucket/p?endpoint=http://s3.test:${port}&region=us-east-1`;
  const objects = openS3Objects(new URL(url), realEnvironment);
  t.teardown(() => objects.close());
  t.equal(await objects.put('a/b', bytes('x')), 'written');
  t.same(await collect(objects.list('')), ['a/b']);
  t.equal(names[0], 'bucket.s3.test');
  t.same([...server.bucket.objects.keys()], ['p/a/b']);
});

t.test('an address that names no store is refused', async (t) => {
  const refuse =
    (url: string): (() => unknown) =>
    () =>
      openS3Objects(new URL(url), realEnvironment);
  t.throws(refuse('s3://bucket/x?regoin=eu'), /"regoin"/);
  t.throws(refuse('s3:///x'), /must name a bucket/);
  t.throws(refuse(`s3://bucket/${'p'.repeat(124)}`), /prefix of more than 123/);
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
