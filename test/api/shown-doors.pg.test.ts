import t from 'tap';

import { Quire } from '../../client/library/quire.ts';
import { McpClient } from '../support/mcp-client.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

/** Texts as a person sees them, and cells of texts, by each way that programs come in. */

async function doors(t: Parameters<typeof TestService.start>[0]) {
  const service = await TestService.start(t, {}, {});
  const key = await service.register();
  const mcp = new McpClient(service, key);
  const command = await QuireCommand.at(t, service.url);
  const quire = new Quire({ url: service.url, key });
  const { id } = await mcp.call('workbook_create', { sheets: [{ name: 'Plan', rows: [] }] });
  const workbook = String(id);
  return {
    mcp,
    workbook,
    command: command.with({ QUIRE_KEY: key }),
    book: quire.open(workbook),
  };
}

const shown = [
  ['2026-01-31', '$1,234.50', '50%', '007', 'TRUE', '#DIV/0!', '1.0000'],
  [null, null, null, null, null, null, '0.3333'],
];

t.test('a range reads as it is shown by library, command and MCP', async (t) => {
  const { mcp, workbook, command, book } = await doors(t);
  await mcp.call('range_write', {
    workbook,
    writes: [{ range: 'Plan!A1', csv: `2026-01-31,"$1,234.50",50%,'007,TRUE,=1/0` }],
  });
  const looks = { sheet: 'Plan', range: 'G1:G2', style: { numberFormat: '0.0000' } };
  const values = { sheet: 'Plan', range: 'G1:G2', inputs: [[1], ['=G1/3']] };
  await mcp.call('ops_submit', {
    workbook,
    ops: [
      { kind: 'format.set', payload: looks },
      { kind: 'range.set', payload: values },
    ],
  });
  const { ref } = await mcp.call('history', { workbook });
  await mcp.call('range_write', { workbook, writes: [{ range: 'Plan!G1', values: [[2]] }] });
  const old = String(ref);
  const asked = { workbook, ranges: ['Plan!A1:G2'], ref: old, lens: 'formatted' };
  const answer = await mcp.tool('range_read', asked);
  t.match(answer.structuredContent, {
    ref: old,
    ranges: [{ range: 'A1:G2', rows: shown, errors: [{ cell: 'F1', error: '#DIV/0!' }] }],
    next: null,
  });
  t.match(answer.content[0]?.text, '"$1,234.50"');
  t.same((await book.read('Plan!A1:G2', { ref: old, lens: 'formatted' })).rows, shown);
  const told = await command.json('get', `${workbook}@${old}`, 'Plan!A1:G2', '--lens', 'formatted');
  t.same(told['rows'], shown);
  const text = await command.text('get', `${workbook}@${old}`, 'Plan!A1:C1', '--lens', 'formatted');
  t.match(text, '2026-01-31\t$1,234.50\t50%');
  for (const format of ['csv', 'markdown', 'cells']) {
    const read = await mcp.call('range_read', { ...asked, format });
    t.match(JSON.stringify(read), /\$1,234\.50/, format);
    t.match(JSON.stringify(read), /0\.3333/, format);
  }
  const pages: unknown[] = [];
  let next: unknown = { ...asked, max_cells: 7 };
  while (next !== null) {
    const page = await mcp.call('range_read', next as Record<string, unknown>);
    pages.push(...(page['ranges'] as { rows: unknown[] }[]).flatMap(({ rows }) => rows));
    next = page['next'];
  }
  t.same(pages, shown, 'page by page');
  t.match(await book.read('Plan!G1:G2', { lens: 'formatted' }), {
    rows: [['2.0000'], ['0.6667']],
  });
  const refused = await mcp.refusal('range_read', { ...asked, lens: 'shown' });
  t.match(refused, { message: /formatted/ });
});

t.test('cells of texts keep what is typed, by library, command and MCP', async (t) => {
  const { mcp, workbook, command, book } = await doors(t);
  const payload = { sheet: 'Plan', range: 'A1:B9', style: { numberFormat: '@' } };
  await mcp.call('ops_submit', { workbook, ops: [{ kind: 'format.set', payload }] });
  await mcp.call('range_write', {
    workbook,
    writes: [{ range: 'Plan!A1', csv: '007,12%,12%\n2026-01-31,=1+1,007' }],
  });
  await command.text('set', workbook, 'Plan!A3:B3', '007');
  await command.text('set', workbook, 'Plan!A4:C4', '12%');
  await command.text('set', workbook, 'Plan!A5', '1e3');
  await command.text('set', workbook, 'Plan!A6:B6', '007', 'TRUE');
  const typed = { sheet: 'Plan', parse: true } as const;
  await book.submit([
    { kind: 'range.fill', payload: { ...typed, range: 'A7:C7', input: '007' } },
    { kind: 'cells.set', payload: { ...typed, cells: [{ a1: 'A8', input: '1/2/2026' }] } },
  ]);
  const fill = { ...typed, range: 'A9:B9', input: '12%' };
  const { changes } = await book.submit([{ kind: 'range.fill', payload: fill }], { changes: 10 });
  t.ok(changes);
  t.same((await book.read('Plan!A1:C9')).rows, [
    ['007', '12%', 0.12],
    ['2026-01-31', 2, 7],
    ['007', '007', null],
    ['12%', '12%', 0.12],
    ['1e3', null, null],
    ['007', 'TRUE', null],
    ['007', '007', 7],
    ['1/2/2026', null, null],
    ['12%', '12%', null],
  ]);
  const read = await mcp.call('range_read', { workbook, ranges: ['Plan!A1:B1'] });
  t.match(read, { ranges: [{ rows: [['007', '12%']], types: ['text', 'text'] }] });
});
