import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

t.test('the edges of filled cells are found in all directions', async (t) => {
  const sheets = [{ name: 'Plan' }, { name: 'Far', rows: [[null, 1]] }];
  const book = await KeptWorkbook.create(t, { sheets });
  // Rows 2 to 4 are filled, 5 is blank, 6 to 8 are what an array fills, C2 shows an empty text.
  await book.set(
    { B2: 1, B3: '=""', B4: 3, B6: '=SEQUENCE(3)', C2: '=IF(TRUE,"")', E2: 5 },
    'Plan',
  );
  const { head } = await book.set({ B10000: 'far' }, 'Plan');
  const edge = async (query: string): Promise<string> => {
    const { id, credential } = book;
    const path = `/v1/workbooks/${id}/edge?${query}`;
    const { status, json, text } = await book.service.request(path, { credential });
    if (status !== 200) throw new Error(text);
    const { sheet, cell, filled } = json as { sheet: string; cell: string; filled: boolean };
    return `${sheet}!${cell}${filled ? '' : ' blank'}`;
  };
  const cases: [string, string][] = [
    ['cell=B2&direction=down', 'Plan!B4'],
    ['cell=B3&direction=down', 'Plan!B4'],
    ['cell=B4&direction=down', 'Plan!B6'],
    ['cell=B5&direction=down', 'Plan!B6'],
    ['cell=B6&direction=down', 'Plan!B8'],
    ['cell=B8&direction=down', 'Plan!B10000'],
    ['cell=B10000&direction=down', 'Plan!B1048576 blank'],
    ['cell=B10000&direction=up', 'Plan!B8'],
    ['cell=B8&direction=up', 'Plan!B6'],
    ['cell=B6&direction=up', 'Plan!B4'],
    ['cell=B1048576&direction=up', 'Plan!B10000'],
    ['cell=D3&direction=down', 'Plan!D1048576 blank'],
    ['cell=D3&direction=up', 'Plan!D1 blank'],
    ['cell=XFD9&direction=up', 'Plan!XFD1 blank'],
    ['cell=E1&direction=down', 'Plan!E2'],
    ['cell=E9&direction=up', 'Plan!E2'],
    ['cell=B2&direction=up', 'Plan!B1 blank'],
    ['cell=B1&direction=up', 'Plan!B1 blank'],
    ['cell=A2&direction=right', 'Plan!B2'],
    ['cell=B2&direction=right', 'Plan!C2'],
    ['cell=C2&direction=right', 'Plan!E2'],
    ['cell=E2&direction=right', 'Plan!XFD2 blank'],
    ['cell=XFD2&direction=left', 'Plan!E2'],
    ['cell=XFD2&direction=right', 'Plan!XFD2 blank'],
    ['cell=C2&direction=left', 'Plan!B2'],
    ['cell=B2&direction=left', 'Plan!A2 blank'],
    ['cell=far!A1&direction=right', 'Far!B1'],
    ['cell=A1&sheet=Far&direction=right', 'Far!B1'],
  ];
  for (const [query, expected] of cases) t.equal(await edge(query), expected, query);
  await book.set({ B6: null, B3: null }, 'Plan');
  t.equal(await edge('cell=B2&direction=down'), 'Plan!B4');
  t.equal(await edge('cell=B4&direction=down'), 'Plan!B10000');
  await book.restart();
  t.equal(await edge('cell=B4&direction=down'), 'Plan!B10000', 'in a model made anew');
  t.equal(await edge(`cell=B8&direction=down&ref=main@${head}`), 'Plan!B10000', 'as it was');
  t.equal(await edge(`cell=B4&direction=down&ref=main@${head}`), 'Plan!B6');
  await book.request('eval-ceiling', { cells: 2, grid: null });
  t.equal(await edge('cell=B2&direction=down'), 'Plan!B4', 'above the ceiling');
  const { credential, id, service } = book;
  await service.request(`/v1/workbooks/${id}`, { credential, method: 'DELETE' });
  const path = `/v1/workbooks/${id}/edge?cell=B8&direction=up`;
  t.match(await service.request(path, { credential }), { json: { cell: 'B4' } });
  t.equal(await edge('cell=B2&direction=down'), 'Plan!B4', 'archived');
});

t.test('what is no cell, direction or sheet is refused', async (t) => {
  const book = await KeptWorkbook.create(t);
  const cases: [string, number, object][] = [
    ['cell=A1', 400, { errors: [{ pointer: '?direction' }] }],
    ['cell=A1&direction=north', 400, { errors: [{ pointer: '?direction' }] }],
    ['cell=A1:B2&direction=up', 400, { code: 'invalid_range', errors: [{ pointer: '?cell' }] }],
    ['cell=XFE1&direction=up', 400, { code: 'invalid_range' }],
    ["cell='A!A1&direction=up", 400, { code: 'invalid_range' }],
    ['direction=up', 400, { errors: [{ pointer: '?cell' }] }],
    ['cell=A1&direction=up&sheet=Nowhere', 404, { code: 'sheet_not_found', hint: /Sheet1/u }],
    ['cell=A1&direction=up&ref=main@9', 404, { code: 'ref_not_found' }],
  ];
  for (const [query, status, json] of cases) {
    t.match(await book.request(`edge?${query}`), { status, json }, query);
  }
});
