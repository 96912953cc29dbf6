import t, { type Test } from 'tap';

import { FileDoor } from '../support/file-door.ts';

const sheet = 'Calc';
const enter = (a1: string, input: unknown, array?: string) => ({
  kind: 'cells.set',
  payload: { sheet, cells: [{ a1, input, ...(array !== undefined && { array }) }] },
});
const on = (kind: string, payload: object) => ({ kind, payload: { sheet, ...payload } });

interface Restarted {
  readonly door: FileDoor;
  readonly at: string;
  /** The code of the refusal of an operation, or what became of it. */
  readonly tried: (operation: object) => Promise<string | undefined>;
}

/**
 * A workbook whose state was stored and is read from storage block by block. Runs long: a service
 * starts for each.
 */
async function restarted(t: Test, operations: readonly object[]): Promise<Restarted> {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', {
    sheets: [{ name: sheet }, { name: 'Else' }],
  });
  const at = `/v1/workbooks/${(made.json as { id: string }).id}`;
  for (const operation of operations) await door.submit(at, operation);
  const stored = await door.request(`${at}/branches/main/checkpoint`, {});
  t.ok(stored.status < 300, stored.text);
  await door.restart();
  const tried = async (operation: object) => {
    const { json } = await door.request(`${at}/branches/main/ops`, { ops: [operation] });
    const [result] = (json as { results: { status: string; error?: { code: string } }[] }).results;
    return result?.error?.code ?? result?.status;
  };
  return { door, at, tried };
}

const entered = [
  on('range.set', { range: 'F1:F5', inputs: [[1], [2], [3], [4], [5]] }),
  enter('A1', '=F1:F5*2', 'A1:A5'),
];

for (const [name, first] of Object.entries({
  'a cell': enter('A3', 1),
  'a block': on('range.set', { range: 'A5:B5', inputs: [[1, 2]] }),
  'a fill': on('range.fill', { range: 'A2:A3', input: 1 }),
  'a clearing': on('range.clear', { range: 'A4' }),
  'an array': enter('A5', '=F1:F2', 'A5:A6'),
  'a row': on('rows.insert', { before: 3, count: 1 }),
  'a move': on('range.move', { source: 'F1', to: 'A3' }),
})) {
  t.test(`the first write after a restart tears no array: ${name}`, async (t) => {
    const { door, at, tried } = await restarted(t, entered);
    t.equal(await tried(first), 'array_part');
    t.same(await door.rows(at, 'Calc!A1:A5'), [[2], [4], [6], [8], [10]]);
    t.equal(await tried(enter('A6', 1)), 'applied', 'and what is beside it is free');
  });
}

t.test('an array that was moved is one after a restart, and its rows in a new order', async (t) => {
  const { tried } = await restarted(t, [
    ...entered,
    on('range.move', { source: 'A1:A5', to: 'C2001' }),
    on('rows.move', { from: 2001, count: 5, before: 9 }),
    enter('H1', '=F1:G1', 'H1:I1'),
    enter('H2', 1),
    on('range.sort', { range: 'F1:I2', order: [2, 1] }),
  ]);
  t.equal(await tried(enter('C11', 1)), 'array_part');
  t.equal(await tried(enter('I2', 1)), 'array_part');
  t.equal(await tried(enter('I1', 1)), 'applied');
  t.equal(await tried(enter('A3', 1)), 'applied');
});

t.test('a write to one sheet leaves the arrays of another to be found', async (t) => {
  const { tried } = await restarted(t, entered);
  const beside = { kind: 'cells.set', payload: { sheet: 'Else', cells: [{ a1: 'A3', input: 1 }] } };
  t.equal(await tried(beside), 'applied');
  t.equal(await tried(enter('A3', 1)), 'array_part');
});

t.test('a branch that starts from what was stored has its arrays', async (t) => {
  const { door, at } = await restarted(t, entered);
  const made = await door.request(`${at}/branches`, { name: 'draft', from: 'main' });
  t.ok(made.status < 300, made.text);
  const { json } = await door.request(`${at}/branches/draft/ops`, { ops: [enter('A3', 1)] });
  t.match(json, { results: [{ error: { code: 'array_part' } }] });
});

t.test(
  'the blank row of a table is where it came, whatever arrays there were before',
  async (t) => {
    const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
    const { door, at } = await restarted(t, [
      {
        kind: 'table.create',
        payload: { name: 'Own', keyColumn: 'k', schema, sheetRange: 'Calc!A1:B4' },
      },
      enter('D9', '=SUM(B2:B3)'),
      enter('D10', '=SUM(B3:B4)'),
    ]);
    const hashed = async () => {
      const { json } = await door.request(`${at}/branches/main/state`);
      return (json as { stateHash: string }).stateHash;
    };
    // This process knows an array that the next one has no reason to read.
    await door.submit(at, enter('H1', '=F1:F3*2', 'H1:H3'));
    await door.submit(at, on('range.clear', { range: 'H1:H3' }));
    await door.request(`${at}/branches/main/checkpoint`, {});
    await door.submit(at, on('rows.delete', { from: 2, count: 3 }));
    const before = await hashed();
    await door.restart();
    t.equal(await hashed(), before);
  },
);
