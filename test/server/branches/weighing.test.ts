import t from 'tap';

import { Branches } from '../../../server/branches/branches.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { MemoryJournal, quickEnvironment } from '../../support/memory-journal.ts';

/** Between two slices of a weighing others have the thread. Turns are counted, by no clock. */

const blockCount = 52 * 59;
/** Blocks in the longest stretch without a turn. */
const blocksMost = 256;
const address = { workbookId: 'wb_1', branchNo: 1 };
const ranges = ['A1:Z60000', 'AA1:AZ60000'];

function set(a1: string, input: number): Operation {
  return { kind: 'cells.set', payload: { sheet: 'S', cells: [{ a1, input }] } };
}

/** A branch of 3,000 blocks, and the turns that were asked for with no wait. */
async function openLarge() {
  const turns = { count: 0 };
  const quick = quickEnvironment();
  const environment = {
    ...quick,
    after: (delay: number, action: () => void) => {
      if (delay === 0) turns.count++;
      return quick.after(delay, action);
    },
  };
  const parts = { formulas: new FormulaDouble(), environment };
  const store = new MemoryJournal();
  const loader = memoryLoader(store, parts);
  const report = (): void => undefined;
  const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
  const submit = (...ops: Operation[]) => {
    return branches.submit(address, { principalId: 'a', writer: 'w', ops, byteCount: 100 });
  };
  await submit({ kind: 'sheet.add', payload: { name: 'S' } });
  for (const range of ranges) {
    await submit({ kind: 'range.fill', payload: { sheet: 'S', range, input: 7 } });
  }
  await settle();
  return { turns, submit, branches, memory: loader.memory };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
}

t.test('after one small write a large workbook is weighed with pauses', async (t) => {
  const { turns, submit, memory } = await openLarge();
  const { bytes } = memory;
  turns.count = 0;
  await submit(set('A1', 1));
  await settle();
  t.ok(turns.count >= blockCount / blocksMost, `${turns.count} turns`);
  t.ok(memory.bytes >= bytes, `${memory.bytes} bytes, and ${bytes} before`);
  const slowly = memory.bytes;
  await submit(set('A1', 2));
  memory.weigh();
  t.ok(Math.abs(memory.bytes - slowly) < 10_000, `${memory.bytes} at once, ${slowly} with pauses`);
});

t.test('a branch that is written to meanwhile weighs as much in the end', async (t) => {
  const { submit, memory } = await openLarge();
  for (let count = 0; count < 50; count++) await submit(set(`A${count + 1}`, count));
  await settle();
  const slowly = memory.bytes;
  await submit(set('A1', 1));
  memory.weigh();
  t.ok(Math.abs(memory.bytes - slowly) < 50_000, `${memory.bytes} at once, ${slowly} with pauses`);
});

t.test('what is forgotten meanwhile weighs nothing', async (t) => {
  const { submit, branches, memory } = await openLarge();
  await submit(set('A1', 1));
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  branches.forget(address.workbookId);
  await settle();
  t.equal(memory.bytes, 0);
});
