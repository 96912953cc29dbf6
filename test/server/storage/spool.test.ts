import { createHash } from 'node:crypto';
import t from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { Spool } from '../../../server/storage/spool.ts';

const mebibyte = 1 << 20;

/** Objects of which only their sums are kept. */
class SummedObjects {
  readonly all = createHash('sha256');
  readonly lengths: number[] = [];

  async put(_key: string, bytes: Uint8Array): Promise<'written'> {
    this.lengths.push(bytes.length);
    this.all.update(bytes);
    return 'written';
  }

  async get(): Promise<undefined> {}

  async *list(): AsyncGenerator<string> {
    yield* [];
  }

  async deletePrefix(): Promise<number> {
    return this.lengths.length;
  }
}

t.test('a long body takes one piece of memory on its way to the spool', async (t) => {
  const objects = new SummedObjects();
  const spool = new Spool({
    objects,
    environment: realEnvironment,
  });
  const writer = spool.open();
  const before = process.memoryUsage().arrayBuffers;
  const block = new Uint8Array(700_001);
  let most = 0;
  for (let at = 0; at < 150; at++) {
    block.fill(at);
    await writer.write([block]);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  const { byteCount, pieceCount, digest } = await writer.end();
  t.equal(byteCount, 150 * block.length);
  t.equal(pieceCount, objects.lengths.length);
  t.equal(
    objects.lengths.slice(0, -1).every((length) => length === 4 * mebibyte),
    true,
  );
  t.same(digest, objects.all.digest(), 'every byte, in its order');
  t.ok(most < 12 * mebibyte, `${most} bytes`);
});
