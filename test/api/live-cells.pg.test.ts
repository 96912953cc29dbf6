import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

interface Values {
  readonly data: unknown[][];
  readonly types: string[][];
}

/** The next news of cells whose first value is as expected. */
function valuesOf(client: LiveClient, first: unknown): Promise<LiveMessage> {
  return client.find(
    ({ kind, values }) =>
      kind === 'cell_activity' && (values as Values | undefined)?.data[0]?.[0] === first,
  );
}

t.test('who looks at cells is sent their values as they are calculated', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const writer = await LiveClient.join(book);
  await writer.submit([setCell('A1', 2), setCell('B1', '=A1*10'), setCell('C1', '=1/0')]);
  const viewer = await LiveClient.join(book, {
    hello: { presence: { viewport: { sheet: 'Sheet1', range: 'B1:C2' } } },
  });
  t.match(await valuesOf(viewer, 20), {
    values: {
      range: 'B1:C2',
      data: [
        [20, { error: '#DIV/0!' }],
        [null, null],
      ],
    },
  });
  const { lastSeq } = await writer.submit([setCell('A1', 3)]);
  const told = await valuesOf(viewer, 30);
  t.match(told, {
    ranges: ['B1'],
    cause: 'recalc',
    values: {
      types: [
        ['n', 'e'],
        ['z', 'z'],
      ],
    },
  });
  t.ok(Number(told['seq']) >= Number(lastSeq), 'of that position or a later one');
  viewer.send({
    kind: 'presence_update',
    presence: { viewport: { sheet: 'Sheet1', range: 'A1:Z100' } },
  });
  const large = await viewer.find(({ kind, truncated }) => kind === 'cell_activity' && !!truncated);
  t.match(large, { sheet: 'Sheet1', ranges: ['A1:Z100'] });
});

t.test('of a large viewport the values come of what has changed', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const writer = await LiveClient.join(book);
  const format = { sheet: 'Sheet1', range: 'D4', style: { numberFormat: '0.00' } };
  await writer.submit([
    setCell('C3', '=A1*10'),
    setCell('D4', '=A1*20'),
    { kind: 'format.set', payload: format },
  ]);
  const viewer = await LiveClient.join(book, {
    hello: { presence: { viewport: { sheet: 'Sheet1', range: 'A1:Z50' } } },
  });
  t.match(await viewer.find(({ truncated }) => truncated === true), { ranges: ['A1:Z50'] });
  await writer.submit([setCell('A1', 3)]);
  t.match(await valuesOf(viewer, 3), {
    ranges: ['A1', 'C3', 'D4'],
    values: { range: 'A1:D4', data: [[3], [null], [null, null, 30], [null, null, null, 60]] },
  });
  await writer.submit([setCell('B30', 'x')]);
  t.match(await valuesOf(viewer, 'x'), { ranges: ['B30'], values: { range: 'B30' } });
  await writer.submit([setCell('A1', 4)]);
  const { values } = await valuesOf(viewer, 4);
  t.match(values, { data: [[4], [null], [null, null, 40]] });
  t.equal((values as { formats: string[][] }).formats[3]?.[3], '0.00');
  const cells = Array.from({ length: 30 }, (_, at) => ({ a1: `Z${at + 1}`, input: at + 1 }));
  await writer.submit([
    { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [...cells, { a1: 'A1', input: 9 }] } },
  ]);
  const wide = await viewer.find(({ truncated }) => truncated === true);
  t.match(
    wide,
    { ranges: ['A1', 'Z1:Z30', 'C3', 'D4'], cause: 'recalc' },
    'a box of 780 cells has no values',
  );
});

t.test('who looks at a sheet that is not there takes nothing from others', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const viewing = (sheet: string) => ({ presence: { viewport: { sheet, range: 'A1:B2' } } });
  const early = await LiveClient.join(book, { hello: viewing('Later') });
  const viewer = await LiveClient.join(book, { hello: viewing('Sheet1') });
  const writer = await LiveClient.join(book);
  await writer.submit([setCell('A1', 7)]);
  t.match(await valuesOf(viewer, 7), { sheet: 'Sheet1' });
  const cells = [{ a1: 'A1', input: 8 }];
  await writer.submit([
    { kind: 'sheet.add', payload: { name: 'Later' } },
    { kind: 'cells.set', payload: { sheet: 'Later', cells } },
  ]);
  t.match(await valuesOf(early, 8), { sheet: 'Later' }, 'it is told once the sheet is there');
});

t.test('who asks for all activity is told where each operation wrote', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const { json } = await book.ask('/branches/main/state');
  const sheetId = (json as { sheets: { id: string }[] }).sheets[0]?.id;
  const listener = await LiveClient.join(book, { hello: { want: { cell_activity: 'all' } } });
  const writer = await LiveClient.join(book);
  const told = async (cause: string): Promise<unknown> => {
    const { sheet, ranges } = await listener.find((message) => {
      return message.kind === 'cell_activity' && message['cause'] === cause;
    });
    return [sheet, ranges];
  };
  const cells = [
    { a1: 'A1', input: 1 },
    { a1: 'A2', input: 2 },
    { a1: 'C5', input: 3 },
  ];
  await writer.submit([{ kind: 'cells.set', payload: { cells } }]);
  t.same(await told('op'), ['Sheet1', ['A1:A2', 'C5']], 'of the first sheet');
  await writer.submit([
    { kind: 'cells.set', payload: { sheet: sheetId, cells: [{ a1: 'B1', input: 1 }] } },
  ]);
  t.same(await told('op'), ['Sheet1', ['B1']], 'by the name of the sheet');
  await writer.submit([{ kind: 'undo', payload: { of: { last: true } } }]);
  t.same(await told('op'), ['Sheet1', ['B1']], 'an undo');
  await writer.submit([
    { kind: 'range.move', payload: { sheet: 'Sheet1', source: 'A1:A2', to: 'D3' } },
  ]);
  t.same(await told('op'), ['Sheet1', ['D3:D4', 'A1:A2']], 'a move, and what it left');
  await book.ask('/branches/main/tables', {
    body: { name: 'Stock', keyColumn: 'sku', schema: { sku: 'text', count: 'number' } },
  });
  t.match(await told('table'), ['Stock', [/^A1:B/]]);
  await book.ask('/branches', { body: { name: 'side' } });
  const ops = [setCell('E9', 'side')];
  await book.ask('/branches/side/ops', { body: { ops, writer: 'w' } });
  const { json: merge } = await book.ask('/merges', { body: { source: 'side', target: 'main' } });
  await book.ask(`/merges/${(merge as { id: string }).id}/approve`, { body: {} });
  t.same(await told('merge'), ['Sheet1', ['E9']]);
});
