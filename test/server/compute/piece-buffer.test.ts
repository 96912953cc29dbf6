import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { PieceBuffer } from '../../../server/compute/piece-buffer.ts';
import { Overflow } from '../../../server/storage/overflow.ts';
import { realEnvironment as environment } from '../../support/edge-server.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { testSeed } from '../../support/test-seed.ts';

const limits = { memoryBytes: 3_000, patienceMilliseconds: 300 };
const pieceBytes = 1_000;

function newBuffer(directory: string, fileBytes: number) {
  const fileLimits = { fileBytes, keyBytes: fileBytes, allBytes: fileBytes };
  const report = (_step: string, error: unknown): void => {
    throw error;
  };
  const overflow = new Overflow({ directory, report, limits: fileLimits });
  const buffer = new PieceBuffer({ file: overflow.file('a'), environment, limits });
  return { overflow, buffer };
}

const piece = (number: number): Uint8Array => new Uint8Array(pieceBytes).fill(number);

/** The number of each piece that its bytes begin. */
function numbersOf(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length / pieceBytes }, (_, at) => bytes[at * pieceBytes] ?? -1);
}

t.test('pieces come in their order, however slowly they are made and taken', async (t) => {
  const random = new SeededRandom(testSeed);
  const pause = async (): Promise<void> => {
    if (random.next() < 0.3) await sleep(random.next() * 4);
  };
  for (let round = 0; round < 20; round++) {
    const { overflow, buffer } = newBuffer(t.testdir(), 1_000_000);
    const make = async (): Promise<void> => {
      for (let number = 0; number < 60; number++) {
        await pause();
        t.equal(await buffer.add(piece(number)), true);
      }
      buffer.end();
    };
    const made = make();
    const taken: Uint8Array[] = [];
    for await (const bytes of buffer.pieces()) {
      taken.push(bytes);
      await pause();
    }
    await made;
    t.same(
      numbersOf(Buffer.concat(taken)),
      Array.from({ length: 60 }, (_, number) => number),
    );
    t.equal(overflow.bytes, 0);
  }
});

t.test('the maker waits for a taker only where there is no room at all', async (t) => {
  const { buffer } = newBuffer(t.testdir(), 5_000);
  for (let number = 0; number < 8; number++) await buffer.add(piece(number));
  const begun = performance.now();
  await t.rejects(buffer.add(piece(8)), { code: 'unavailable' });
  t.ok(performance.now() - begun >= limits.patienceMilliseconds - 5);
  const waiting = buffer.add(piece(8));
  const pieces = buffer.pieces();
  const taken: Uint8Array[] = [];
  for (let count = 0; count < 4; count++) {
    const { value } = await pieces.next();
    if (value) taken.push(value);
  }
  t.equal(await waiting, true, 'what was taken made room');
  buffer.end();
  for await (const bytes of pieces) taken.push(bytes);
  t.same(numbersOf(Buffer.concat(taken)), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

t.test('a taker who leaves takes everything along', async (t) => {
  const { overflow, buffer } = newBuffer(t.testdir(), 50_000);
  for (let number = 0; number < 8; number++) await buffer.add(piece(number));
  const pieces = buffer.pieces();
  await pieces.next();
  t.ok(overflow.bytes > 0);
  await pieces.return();
  t.equal(overflow.bytes, 0);
  t.equal(await buffer.add(piece(8)), false, 'the maker need not go on');
  t.equal(overflow.bytes, 0);
});

t.test('an error comes behind the pieces that were made', async (t) => {
  const { buffer } = newBuffer(t.testdir(), 50_000);
  await buffer.add(piece(1));
  buffer.end({ error: new Error('the thread died') });
  const pieces = buffer.pieces();
  t.match(await pieces.next(), { done: false });
  await t.rejects(pieces.next(), { message: 'the thread died' });
});
