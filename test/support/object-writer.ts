import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { openFileObjects } from '../../server/storage/objects-file.ts';
import { SeededRandom } from './seeded-random.ts';
import { writtenContent } from './written-content.ts';

/**
 * Puts objects until it is killed: new ones, the same ones repeatedly, and ones that may be put
 * only once. Prints each resolved put: `key version answer`.
 */

const [folder = '', round = '', seed = ''] = process.argv.slice(2);
const laneCount = 8;
const bytesMost = 200_000;

const random = new SeededRandom(Number(seed));
const objects = await openFileObjects(folder, {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  random: (byteCount) => randomBytes(byteCount),
  after: () => () => undefined,
});

async function write(lane: number): Promise<void> {
  for (let count = 0; ; count++) {
    const key =
      [`new/${round}/${lane}/${count}`, `again/${lane}`, `once/${count}`][count % 3] ?? '';
    const version = `${round}.${lane}.${count}`;
    const content = writtenContent(version, random.between(0, bytesMost));
    const options = key.startsWith('once/') ? ({ ifNoneMatch: '*' } as const) : undefined;
    const answer = await objects.put(key, content, options);
    process.stdout.write(`${key} ${version} ${answer}\n`);
  }
}

await Promise.all(Array.from({ length: laneCount }, (_, lane) => write(lane)));
