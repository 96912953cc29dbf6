import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import t from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { openObjects } from '../../../server/storage/objects.ts';
import type { Objects } from '../../../server/storage/objects.ts';
import { DiskModel } from '../../support/disk-model.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { testSeed } from '../../support/test-seed.ts';
import { writtenVersion } from '../../support/written-content.ts';
import { bytes, collect, text } from './shared-store.ts';

const seed = testSeed;
t.comment(`seed ${seed}`);

const writerProgram = fileURLToPath(new URL('../../support/object-writer.js', import.meta.url));
const roundCount = 6;
const dayMilliseconds = 24 * 60 * 60 * 1000;

interface Written {
  readonly key: string;
  readonly version: string;
  readonly answer: string;
}

/**
 * Lets a writer write for a while and kills it; resolves with the writes that it said had resolved.
 */
async function writeAndKill(
  folder: string,
  round: number,
  random: SeededRandom,
): Promise<Written[]> {
  const child = spawn(process.execPath, [writerProgram, folder, String(round), String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const written: Written[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.once('line', () => setTimeout(() => child.kill('SIGKILL'), random.between(20, 300)));
  lines.on('line', (line) => {
    const [key = '', version = '', answer = ''] = line.split(' ');
    written.push({ key, version, answer });
  });
  await once(child, 'close');
  return written;
}

t.test('a put that is killed half way leaves nothing, and one that resolved all', async (t) => {
  const random = new SeededRandom(seed);
  const folder = `${await makeTemporaryFolder(t)}/objects`;
  const url = pathToFileURL(folder).href;
  const objects = await openObjects(url, realEnvironment);
  const once = new Map<string, string>();
  let count = 0;
  for (let round = 0; round < roundCount; round++) {
    const written = await writeAndKill(folder, round, random);
    count += written.length;
    for (const { key, version, answer } of written) {
      if (key.startsWith('once/') && answer === 'written') {
        t.notOk(once.has(key), `${key} was written once`);
        once.set(key, version);
      }
      const found = writtenVersion(await objects.get(key));
      if (key.startsWith('new/')) t.equal(found, version, key);
    }
    for await (const key of objects.list('')) {
      const found = writtenVersion(await objects.get(key));
      if (found === undefined) t.fail(`${key} is not whole`);
      if (once.has(key)) t.equal(found, once.get(key), key);
    }
  }
  t.ok(count > roundCount * 8, `${count} puts`);

  const left = await readdir(`${folder}/.staging`);
  const tomorrow = { ...realEnvironment, now: () => Date.now() + dayMilliseconds + 60_000 };
  await openObjects(url, realEnvironment);
  t.same(await readdir(`${folder}/.staging`), left, 'somebody may still be writing them');
  await openObjects(url, tomorrow);
  t.same(await readdir(`${folder}/.staging`), [], `${left.length} half-written files are gone`);
});

const keys = ['a/1', 'a/b/1', 'a/b/2', 'a/b/c/d/1', 'e', 'f/g/1', 'f/g/2'];

const call = fc.oneof(
  fc.record({
    kind: fc.constantFrom('put' as const, 'putIfAbsent' as const, 'delete' as const),
    key: fc.constantFrom(...keys),
  }),
  fc.record({
    kind: fc.constant('deletePrefix' as const),
    key: fc.constantFrom('a/', 'a/b/', 'f/', ''),
  }),
);

t.test('what has resolved is on disk, whatever else goes on', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
      async (rounds) => {
        const folder = await makeTemporaryFolder(t);
        const disk = new DiskModel(folder);
        const root = `${folder}/objects`;
        try {
          const objects = await openObjects(pathToFileURL(root).href, realEnvironment);
          for (const calls of rounds) await runRound(objects, { calls, disk, root });
        } finally {
          disk.stop();
        }
        if (disk.faults.length > 0) throw new Error(disk.faults.join('\n'));
      },
    ),
    { seed, numRuns: 30, endOnFailure: true },
  );
  t.pass('no fault was seen');
});

interface Round {
  readonly calls: readonly { readonly kind: string; readonly key: string }[];
  readonly disk: DiskModel;
  readonly root: string;
}

async function runRound(objects: Objects, { calls, disk, root }: Round): Promise<void> {
  const deletes = calls.filter(({ kind }) => kind.startsWith('delete'));
  await Promise.all(
    calls.map(async ({ kind, key }) => {
      if (kind === 'delete') return objects.delete(key);
      if (kind === 'deletePrefix') return objects.deletePrefix(key);
      const options = kind === 'put' ? undefined : ({ ifNoneMatch: '*' } as const);
      await objects.put(key, bytes(key), options);
      const mayBeGone = deletes.some((one) => key.startsWith(one.key));
      if (!mayBeGone && !disk.survives(`${root}/${key}`)) {
        disk.faults.push(`${key} would not survive a power cut`);
      }
    }),
  );
  const listed = await collect(objects.list(''));
  for (const key of keys) {
    const survives = disk.survives(`${root}/${key}`);
    if (survives !== listed.includes(key)) {
      disk.faults.push(`${key} is ${survives ? '' : 'not '}on disk, unlike what is listed`);
    }
  }
}

t.test('what is no object is not listed', async (t) => {
  const { mkdir, writeFile } = await import('node:fs/promises');
  const folder = await makeTemporaryFolder(t);
  const objects = await openObjects(pathToFileURL(folder).href, realEnvironment);
  await objects.put('a/b', bytes('there'));
  await mkdir(`${folder}/lost+found`);
  await writeFile(`${folder}/lost+found/x`, 'x');
  await writeFile(`${folder}/a/.hidden`, 'x');
  await writeFile(`${folder}/a/a name`, 'x');
  t.same(await collect(objects.list('')), ['a/b']);
  t.equal(await objects.deletePrefix(''), 1);
  t.equal(text(await objects.get('a/b')), undefined);
});
