import t from 'tap';

import { BodyReader } from '../../../server/tables/background/body-reader.ts';
import { bytesOf } from '../../../server/tables/writing/row-parts.ts';

// The queue of a branch takes 64 MiB: a part that claims more than it has keeps others out.

t.test('a part takes about the bytes that JSON has for it', async (t) => {
  const rows = Array.from({ length: 500 }, (_, at) => [`k${at}`, 'x'.repeat(at), at * 1.5, null]);
  const columns = ['sku', 'text', 'price', 'note'];
  const objects = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  const keys = rows.map((_, at) => `k${at}`);
  const parts = [
    { part: { index: 0, columns, rows }, json: rows },
    { part: { index: 0, columns: undefined, rows: objects as never }, json: objects },
    { part: { index: 0, keys }, json: keys },
  ];
  for (const { part, json } of parts) {
    const { length } = JSON.stringify(json);
    const ratio = bytesOf(part) / length;
    t.ok(ratio > 0.8 && ratio < 1.25, String(ratio));
  }
  t.equal(bytesOf({ index: 0, columns, rows: [] }), 0);
});

t.test('a body is read as far as its pieces went, also those handed to a thread', async (t) => {
  const pieces = [3, 5, 7].map((length) => new Uint8Array(length));
  const spool = {
    async *read() {
      yield* pieces;
    },
  };
  const body = { id: 'b', pieceCount: 3, byteCount: 15, isPacked: false };
  const reader = new BodyReader(spool, body);
  const seen: number[] = [];
  for await (const { buffer } of reader.read()) {
    structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
    seen.push(reader.byteCount);
  }
  t.same([...seen, reader.byteCount], [0, 3, 8, 15]);
});
