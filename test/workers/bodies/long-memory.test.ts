import { pack } from 'msgpackr';
import t from 'tap';

import { Pool } from '../../../server/compute/pool.ts';
import { PoolRows } from '../../../server/compute/pool-rows.ts';
import { realEnvironment as environment } from '../../../server/foundation.ts';
import type { RowsFormat } from '../../../server/model/row-writes.ts';

/** Runs alone: it counts the memory of its process. Runs long: 72 MiB go through the pool. */

const mebibyte = 1 << 20;
const pieceBytes = 4 * mebibyte;
const pieceCount = 18;
/** One piece that is read, one that lies ready and one that comes, with some room. */
const heldMost = 24 * mebibyte;

const row = { sku: 'key', region: 'r'.repeat(1_500), price: 1.5, count: 7 };
const names = Object.keys(row);

function linesOf(line: string): Buffer {
  return Buffer.from(line.repeat(Math.floor(pieceBytes / line.length)));
}

const listed = pack(row);
const packedRows = Math.floor(pieceBytes / listed.length);

function arrayHead(count: number): Buffer {
  const head = Buffer.alloc(5, 0xdd);
  head.writeUInt32BE(count, 1);
  return head;
}

/** The first bytes, those of each piece, and the last. */
const bodies: Readonly<Record<RowsFormat, readonly [head: Buffer, piece: Buffer, end: Buffer]>> = {
  ndjson: [Buffer.alloc(0), linesOf(`${JSON.stringify(row)}\n`), Buffer.alloc(0)],
  csv: [
    Buffer.from(`${names.join(',')}\n`),
    linesOf(`${Object.values(row).join(',')}\n`),
    Buffer.alloc(0),
  ],
  json: [
    Buffer.from(`[${JSON.stringify(row)}`),
    linesOf(`,${JSON.stringify(row)}`),
    Buffer.from(']'),
  ],
  msgpack: [
    arrayHead(packedRows * pieceCount),
    Buffer.concat(Array.from({ length: packedRows }, () => listed)),
    Buffer.alloc(0),
  ],
};

for (const [format, [head, piece, end]] of Object.entries(bodies)) {
  t.test(`a long body of ${format} holds no more than a few of its blocks`, async (t) => {
    const pool = new Pool({ threadCount: 1, environment });
    t.teardown(() => pool.close());
    const reader = new PoolRows(pool, pool);
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    const note = (): void => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    };
    async function* bytes(): AsyncGenerator<Uint8Array, void> {
      if (head.length > 0) yield new Uint8Array(head);
      for (let at = 0; at < pieceCount; at++) {
        yield new Uint8Array(piece);
        note();
      }
      if (end.length > 0) yield new Uint8Array(end);
    }
    const { parts } = await reader.read({
      bytes,
      isLong: true,
      format: format as RowsFormat,
      columns: names.map((name) => ({ name, type: 'any' })),
      delimiter: undefined,
      hasKeys: false,
      keyColumn: null,
    });
    let count = 0;
    for await (const part of parts) {
      count += 'rows' in part ? part.rows.length : 0;
      note();
    }
    t.ok(count > (pieceBytes * pieceCount) / 2_000, `${count} rows`);
    t.ok(most < heldMost, `${Math.round(most / mebibyte)} MiB`);
  });
}
