import t from 'tap';

import { createFormulas } from '../../server/compute/formulas.ts';
import { cellName } from '../../server/model/address.ts';
import { Book } from '../support/book.ts';
import { ReplicaClient } from '../support/replica-client.ts';
import { TestService } from '../support/test-service.ts';

// An agent and two people edit one budget at a time. Each keeps a replica by its stream alone, and
// all three are the export in the end, cell by cell.

const sheet = 'Sheet1';
const months = ['Jan', 'Feb', 'Mar', 'Apr'];
const [rowCount, columnCount] = [40, 10];

type Bare = Parameters<ReplicaClient['submit']>[0][number];

function paste(range: string, inputs: unknown[][]): Bare {
  return { kind: 'range.set', payload: { range: `${sheet}!${range}`, inputs } };
}

function cell(a1: string, input: unknown): Bare {
  return { kind: 'cells.set', payload: { sheet, cells: [{ a1, input }] } };
}

/** The budget as the agent lays it out: items with their months, and a sum for each. */
function layout(): Bare[] {
  const items = ['Rent', 'Food', 'Travel', 'Power', 'Phones', 'Paper'];
  const rows = items.map((name, at) => [
    name,
    ...months.map((_, month) => (at + 1) * 100 + month),
    `=SUM(B${at + 2}:E${at + 2})`,
  ]);
  return [
    paste('A1:F1', [['Item', ...months, 'Year']]),
    paste('A2:F7', rows),
    paste('A9:F9', [['Total', ...['B', 'C', 'D', 'E', 'F'].map((at) => `=SUM(${at}2:${at}7)`)]]),
  ];
}

/** One writer's part of the scene: all three play theirs at once, from what they have seen so far. */
const parts: Readonly<Record<string, readonly Bare[]>> = {
  agent: [
    { kind: 'range.copy', payload: { source: `${sheet}!A1:F9`, to: 'A20' } },
    cell('H1', '=F9/12'),
    { kind: 'rows.insert', payload: { sheet, before: 4, count: 2 } },
    paste('A4:B5', [
      ['Training', 40],
      ['Books', 60],
    ]),
    { kind: 'cols.insert', payload: { sheet, before: 'F', count: 1 } },
    cell('F1', 'May'),
  ],
  ann: [
    { kind: 'range.sort', payload: { range: `${sheet}!A2:A7`, order: [7, 6, 5, 4, 3, 2] } },
    cell('B3', 555),
    { kind: 'undo', payload: { of: { last: true } } },
    { kind: 'rows.move', payload: { sheet, from: 2, count: 1, before: 6 } },
    cell('C2', '=B2*1.1'),
    { kind: 'range.clear', payload: { range: `${sheet}!D3:E3` } },
  ],
  bob: [
    cell('G1', 'Note'),
    paste('B10:E10', [[1, 2, 3, 4]]),
    { kind: 'rows.delete', payload: { sheet, from: 6, count: 1 } },
    cell('A12', 'checked'),
    { kind: 'sheet.add', payload: { name: 'Notes' } },
    { kind: 'sheet.rename', payload: { sheet: 'Notes', name: 'Remarks' } },
  ],
};

async function mergePlan(book: Book): Promise<number> {
  const merge = await book.ask('/merges', { body: { source: 'plan', target: 'main' } });
  const { id } = merge.json as { id: string };
  const done = await book.ask(`/merges/${id}/approve`, { body: {} });
  const { result } = done.json as { result: { seq: number } | null };
  if (!result) throw new Error(`the merge answered ${done.text}`);
  return result.seq;
}

interface Exported {
  readonly sheets: readonly {
    readonly cells: readonly { readonly cell: string; readonly input: unknown }[];
  }[];
}

type Cell = readonly [a1: string, input: unknown];

/** Lists the cells of a replica with what was entered in them, as the export does. */
function cellsOf({ state }: ReplicaClient): Cell[] {
  const [outline] = state.structure.sheets;
  if (!outline) throw new Error('there is no sheet');
  const cells: Cell[] = [];
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      const input: unknown = state.inputAt(outline, row, column);
      if (input === null) continue;
      const isFormula = typeof input === 'object' && 'formula' in input;
      cells.push([cellName(row, column), isFormula ? input.formula : input]);
    }
  }
  return cells;
}

async function play(book: Book, clients: readonly ReplicaClient[]): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    for (const client of clients) {
      const part = parts[client.name]?.[turn];
      if (part) client.submit([part]);
    }
    if (turn === 3) await mergePlan(book);
    // Some see what the others did before they go on, and some do not.
    await clients[turn % clients.length]?.settle();
  }
}

async function exportedCells(book: Book): Promise<Cell[]> {
  const { sheets } = (await book.ask('/branches/main/export?format=json')).json as Exported;
  return (sheets[0]?.cells ?? []).map(({ cell: a1, input }) => [a1, input]);
}

function inOrder(cells: readonly Cell[]): Cell[] {
  return cells.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

t.test('an agent and two people see one budget, whatever each does meanwhile', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const clients = Object.keys(parts).map(
    (name) => new ReplicaClient(() => book, name, { formulas: createFormulas() }),
  );
  // The sheet comes with the first operation.
  await Promise.all(clients.map((client) => client.settle()));
  const [agent] = clients;
  agent?.submit(layout());
  await Promise.all(clients.map((client) => client.settle()));
  await book.ask('/branches', { body: { name: 'plan' } });
  const planned = { ops: [cell('E4', 9_999), cell('A13', 'from the plan')], writer: 'planner' };
  t.equal((await book.ask('/branches/plan/ops', { body: planned })).status, 200);

  await play(book, clients);
  await Promise.all(clients.map((client) => client.settle()));
  const exported = await exportedCells(book);
  t.ok(exported.length > 80);
  for (const client of clients) {
    await client.settle();
    t.same(client.faults, [], client.name);
    t.same(inOrder(cellsOf(client)), inOrder(exported), `${client.name} has what is exported`);
    client.drop();
  }
  const rejected = clients.flatMap(({ outcomes }) =>
    [...outcomes.values()].filter(({ status }) => status === 'rejected'),
  );
  t.same(
    rejected.map(({ error }) => error?.code),
    [],
  );
  const inputs = exported.map(([, input]) => input);
  t.ok(inputs.includes('from the plan') && inputs.includes(9_999), 'the plan is in it');
});
