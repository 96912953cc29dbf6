import { createHash } from 'node:crypto';

import t, { type Test } from 'tap';

import { Results } from '../../../server/values/results/results.ts';
import { ResultTable, type ResultKey } from '../../../server/values/results/sql.ts';
import type { Sql } from '../../../server/storage/postgres.ts';
import { BlockWriter, blockCells } from '../../../workers/value-block.ts';
import { failureOf } from '../../support/failure-of.ts';
import { openTestDatabase } from '../../support/postgres.ts';

async function start(t: Pick<Test, 'teardown'>): Promise<{ sql: Sql; table: ResultTable }> {
  const sql = await openTestDatabase(t);
  for (const id of ['wb_a', 'wb_b']) {
    await sql`
      insert into workbook (workbook_id, owner_id, namespace, name, folded_name)
      values (${id}, 'usr', 'space', ${id}, ${id})`;
  }
  return { sql, table: new ResultTable(sql) };
}

function keyOf(workbookId: string, text: string): ResultKey {
  return { workbookId, key: createHash('sha256').update(text).digest() };
}

async function* bytesOf(...blocks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* blocks;
}

async function* blocksOf(total: number): AsyncGenerator<Uint8Array> {
  for (let first = 0; first < total; first += blockCells) {
    const block = new BlockWriter(blockCells);
    for (let row = first; row < Math.min(first + blockCells, total); row++) {
      block.add({ sheet: 'Plan', row, column: 0, value: row });
    }
    yield block.finish();
  }
}

t.test('blocks go in and come out byte for byte, all of a result or nothing', async (t) => {
  const { sql, table } = await start(t);
  const key = keyOf('wb_a', 'one');
  const blocks = [0, 1, 70_000, 600_000].map((length) => {
    return Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
  });
  await table.store(key, { seq: 5, total: 9 }, bytesOf(...blocks));
  t.same(await table.find(key), { seq: 5, total: 9 });
  const read = await table.blocks(key, 0, 9);
  t.equal(read.length, 4);
  for (const [index, block] of blocks.entries()) t.ok(read[index]?.equals(block), `block ${index}`);
  t.ok((await table.blocks(key, 2, 2))[0]?.equals(blocks[2] ?? Buffer.alloc(0)), 'or one of them');
  t.same(await table.blocks(keyOf('wb_b', 'one'), 0, 9), [], 'of that workbook only');
  await table.store(key, { seq: 5, total: 9 }, bytesOf());
  t.equal((await table.blocks(key, 0, 9)).length, 4, 'what is there stays');

  const other = keyOf('wb_a', 'other');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100_000);
    throw new Error('the thread died');
  }
  await t.rejects(table.store(other, { seq: 1, total: 1 }, broken()), { message: /thread died/ });
  t.equal(await table.find(other), undefined);
  t.equal((await sql`select 1 as one`).length, 1, 'and the connection is good');
});

t.test('what nobody reads goes, and what is too much', async (t) => {
  const { sql, table } = await start(t);
  const keys = ['one', 'two', 'three'].map((text) => keyOf('wb_a', text));
  for (const key of keys)
    await table.store(key, { seq: 1, total: 1 }, bytesOf(new Uint8Array(100)));
  const [old, middle, young] = keys;
  if (!old || !middle || !young) throw new Error('three were made');
  const age = (key: ResultKey, hours: number) => sql`
    update values_result set read_at = clock_timestamp() - make_interval(hours => ${hours})
     where key = ${key.key}`;
  const left = async () =>
    Promise.all(keys.map(async (key) => (await table.find(key)) !== undefined));
  await age(old, 25);
  await table.prune(1000);
  t.same(await left(), [false, true, true]);
  await age(young, 3);
  await table.find(young);
  await age(middle, 1);
  await table.prune(150);
  t.same(await left(), [false, false, true], 'what is read is young again');
  await sql`delete from workbook where workbook_id = 'wb_a'`;
  t.same(await left(), [false, false, false], 'a purge takes them along');
  t.equal((await sql`select from values_block`).length, 0);
});

t.test('a page reads the blocks that it is in', async (t) => {
  const { table } = await start(t);
  const total = blockCells * 6 + 10;
  const asked: number[][] = [];
  const blocks = table.blocks.bind(table);
  table.blocks = (key, first, last) => {
    asked.push([first, last]);
    return blocks(key, first, last);
  };
  const results = new Results(table);
  const key = keyOf('wb_a', 'one');
  await results.store(key, { seq: 3, total }, blocksOf(total));
  const stored = await results.find(key);
  const rows = async (start: number, end: number): Promise<number[]> => {
    const found: number[] = [];
    for await (const cells of stored?.cells(start, end) ?? []) {
      for (const { row } of cells) found.push(row);
    }
    return found;
  };
  t.same(
    await rows(blockCells - 2, blockCells + 2),
    [-2, -1, 0, 1].map((at) => blockCells + at),
  );
  t.same(asked, [[0, 3]]);
  t.same(await rows(total - 3, total + 5), [total - 3, total - 2, total - 1]);
  t.same(asked, [
    [0, 3],
    [6, 6],
  ]);
  await results.forget('wb_a');
  t.equal(await results.find(key), undefined);
  const late = await failureOf(() => rows(blockCells * 4, blockCells * 4 + 1));
  t.equal(late?.key, 'unavailable');
});
