import t from 'tap';

import { McpClient } from '../support/mcp-client.ts';

interface Page extends Readonly<Record<string, unknown>> {
  readonly ref: string;
  readonly blame: readonly { readonly cell: string; readonly seq: number }[];
  readonly next: Readonly<Record<string, unknown>> | null;
}

t.test('who wrote many cells is told to its end, whatever is written meanwhile', async (t) => {
  const client = await McpClient.start(t);
  const rows = Array.from({ length: 120 }, (_, at) => [at]);
  const { id: workbook } = await client.call('workbook_create', {
    sheets: [{ name: 'Plan', rows }],
  });
  const ask = async (given: object) => (await client.call('history', { ...given })) as Page;
  let page = await ask({ workbook, cell: 'Plan!A1:A120' });
  const [{ ref }, cells] = [page, new Map(page.blame.map((one) => [one.cell, one.seq]))];
  t.equal(cells.size, 50);
  await client.call('range_write', {
    workbook,
    writes: [{ range: 'Plan!A120', values: [['new']] }],
  });
  for (let pages = 1; page.next !== null; pages++) {
    t.ok(pages < 5, 'it comes to an end');
    page = await ask(page.next);
    t.equal(page.ref, ref, 'the cells are those of the first page');
    for (const { cell, seq } of page.blame) cells.set(cell, seq);
  }
  t.equal(cells.size, 120);
  t.equal(new Set(cells.values()).size, 1, 'one operation wrote all of them then');
  const now = await ask({ workbook, cell: 'Plan!A120' });
  t.equal(now.next, null);
  t.not(now.blame[0]?.seq, cells.get('A120'));
});

t.test('a cursor that no answer gave is refused', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', { sheets: [{ name: 'Plan' }] });
  const refused = async (given: object, code: string) => {
    const { json } = await client.send('tools/call', {
      name: 'history',
      arguments: { workbook, ...given },
    });
    t.match(JSON.stringify(json), code, JSON.stringify(given));
  };
  await refused({ cursor: '1.0.' }, 'not_together');
  await refused({ cell: 'A1', cursor: 'x' }, 'invalid_cursor');
  await refused({ cell: 'A1', cursor: '999999.0.' }, 'invalid_cursor');
  await refused({ cell: 'A1', cursor: '1.0.made-up' }, 'invalid_cursor');
});
