import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';

import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Runs long: whole files are read and compared cell by cell. */

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const folder = new URL('../../../test/workbooks/', import.meta.url);

interface Slice {
  readonly range: string;
  readonly properties: object;
  readonly cells: number[][];
  readonly rows: { readonly style?: number }[];
  readonly columns: { readonly style?: number }[];
}

interface Formats {
  readonly styles: object[];
  readonly slices: Slice[];
}

class TestWorkbook {
  readonly id: string;
  readonly at: string;
  readonly #service: TestService;
  readonly #credential: string;

  private constructor(service: TestService, credential: string, id: string) {
    this.#service = service;
    this.#credential = credential;
    this.id = id;
    this.at = `/v1/workbooks/${id}`;
  }

  static async create(
    service: TestService,
    credential: string,
    from: { body?: object; bytes?: Uint8Array },
  ): Promise<{ workbook: TestWorkbook; json: unknown }> {
    const headers = from.bytes ? { 'content-type': xlsx } : {};
    const { status, text, json } = await service.request('/v1/workbooks', {
      credential,
      ...from,
      headers,
    });
    if (status !== 201) throw new Error(text);
    const workbook = new TestWorkbook(service, credential, (json as { id: string }).id);
    return { workbook, json };
  }

  read(path: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.#service.request(`${this.at}/${path}`, { credential: this.#credential, headers });
  }

  submit(...ops: object[]): Promise<TestAnswer> {
    const body = { ops, writer: 'me' };
    const path = `${this.at}/branches/main/ops`;
    return this.#service.request(path, { credential: this.#credential, body });
  }
}

async function startWorkbook(t: Pick<Test, 'teardown'>) {
  const service = await TestService.start(t, {}, {});
  const credential = await service.register();
  const body = {
    sheets: [
      {
        name: 'Plan',
        rows: [
          ['Item', 'Price'],
          ['Tea', 2.5],
        ],
      },
      { name: 'B' },
    ],
  };
  const { workbook } = await TestWorkbook.create(service, credential, { body });
  return { service, credential, workbook };
}

t.test('formats: styles of cells, sizes of lines, named styles, at any position', async (t) => {
  const { workbook } = await startWorkbook(t);
  const before = (await workbook.read('formats?range=A1:B2')).json as Formats & {
    ref: { seq: number };
  };
  t.match(before, {
    styles: [{}],
    slices: [
      {
        cells: [
          [0, 0],
          [0, 0],
        ],
        rows: [],
        columns: [],
      },
    ],
  });
  const submitted = await workbook.submit(
    { kind: 'style.define', payload: { id: 'Head', style: { bold: true, font: 'Arial' } } },
    { kind: 'format.set', payload: { sheet: 'Plan', range: '1:1', style: { named: 'head' } } },
    {
      kind: 'format.set',
      payload: { range: 'Plan!B2', style: { fill: '#ffee00', border: { top: { style: 'thin' } } } },
    },
    { kind: 'numfmt.set', payload: { sheet: 'Plan', range: 'B2', pattern: '0.00' } },
    { kind: 'cols.size', payload: { sheet: 'Plan', from: 'B', count: 2, px: 90 } },
    {
      kind: 'rows.group',
      payload: { sheet: 'Plan', from: 3, count: 2, level: 1, collapsed: true },
    },
    { kind: 'sheet.props', payload: { sheet: 'Plan', freezeRows: 1, tabColor: '#00ff00' } },
    { kind: 'props.set', payload: { title: 'Tea', labels: ['hot'] } },
  );
  t.match(submitted.json, { status: 'applied' });
  const answer = await workbook.read('formats?range=Plan!A1:B2&range=Plan!A:A&range=B!A1');
  t.equal(answer.status, 200, answer.text);
  t.match(answer.json, {
    styles: [
      {},
      { named: 'Head' },
      {
        border: { top: { style: 'thin' } },
        fill: { fg: '#FFEE00', pattern: 'solid' },
        numberFormat: '0.00',
      },
    ],
    namedStyles: { Head: { bold: true, font: 'Arial' } },
    slices: [
      {
        sheet: 'Plan',
        range: 'A1:B2',
        properties: { freezeRows: 1, tabColor: '#00FF00' },
        cells: [
          [1, 1],
          [0, 2],
        ],
        rows: [{ from: 1, count: 1, style: 1 }],
        columns: [{ from: 'B', count: 1, px: 90 }],
      },
      {
        range: 'A1:A2',
        rows: [{}, { from: 3, count: 2, collapsed: true, hidden: true, level: 1 }],
      },
      { sheet: 'B', cells: [[0]], properties: {} },
    ],
  });
  const etag = answer.headers.get('etag') ?? '';
  const again = await workbook.read('formats?range=A1', { 'if-none-match': etag });
  t.equal(again.status, 304);
  const older = await workbook.read(`formats?range=A1:B2&ref=main@${before.ref.seq}`);
  t.same(older.json, before);
  t.match((await workbook.read('branches/main/state')).json, {
    sheets: [
      { name: 'Plan', properties: { freezeRows: 1 } },
      { name: 'B', properties: {} },
    ],
    settings: { title: 'Tea', labels: ['hot'], calcMode: 'auto' },
  });
  const exported = (await workbook.read('branches/main/export')).json as {
    sheets: { cells: { cell: string; numberFormat?: string }[] }[];
  };
  const cell = exported.sheets[0]?.cells.find(({ cell: name }) => name === 'B2');
  t.equal(cell?.numberFormat, '0.00');
});

t.test('a copied sheet calculates with its own cells', async (t) => {
  const { workbook } = await startWorkbook(t);
  const answer = await workbook.submit(
    {
      kind: 'range.set',
      payload: {
        sheet: 'Plan',
        range: 'C1:C3',
        inputs: [['=B2*2'], ['=Plan!C1+1'], ['=SUM(B:B)']],
      },
    },
    { kind: 'range.fill', payload: { sheet: 'Plan', range: 'D1:D9', input: '=ROW()+$B$2' } },
    { kind: 'rows.insert', payload: { sheet: 'Plan', before: 2 } },
    { kind: 'sheet.add', payload: { name: 'Copy', copyOf: 'Plan' } },
    { kind: 'cells.set', payload: { sheet: 'Copy', cells: [{ a1: 'B3', input: 10 }] } },
  );
  t.match(answer.json, { status: 'applied' });
  const read = await workbook.read('slice?range=Plan!C1:D4&range=Copy!C1:D4');
  t.match(read.json, {
    slices: [
      {
        rows: [
          [5, 3.5],
          [null, null],
          [6, 5.5],
          [2.5, 6.5],
        ],
      },
      {
        rows: [
          [20, 11],
          [null, null],
          [21, 13],
          [10, 14],
        ],
      },
    ],
  });
  const formulas = await workbook.read('slice?range=Copy!C3:D3&lens=formula');
  t.match(formulas.json, { rows: [['=Copy!C1+1', '=ROW()+$B$3']] });
});

t.test('what cannot be read is refused with a reason', async (t) => {
  const { service, workbook } = await startWorkbook(t);
  const refusals: [path: string, status: number, code: string][] = [
    ['formats', 400, 'invalid_request'],
    ['formats?range=nonsense!!', 400, 'invalid_range'],
    ['formats?range=Nowhere!A1', 404, 'sheet_not_found'],
    ['formats?range=A1:ZZ1000', 400, 'range_too_large'],
    ['formats?range=A1&ref=main@999', 404, 'ref_not_found'],
    ['formats?range=A1&colour=red', 400, 'unknown_member'],
    ['formats?range=A:XFD', 200, ''],
  ];
  for (const [path, status, code] of refusals) {
    const answer = await workbook.read(path);
    t.equal(answer.status, status, path);
    if (code !== '') t.match(answer.json, { code }, path);
  }
  const stranger = await service.register();
  const path = `/v1/workbooks/${workbook.id}/formats?range=A1`;
  const answer = await service.request(path, { credential: stranger });
  t.equal(answer.status, 404);
  const refused = await workbook.submit({
    kind: 'format.set',
    payload: { sheet: 'Plan', range: 'A1', style: { bold: 'yes', colour: 'red' } },
  });
  t.equal(refused.status, 400);
  t.match(refused.text, /colour/);
});

/** A slice with its styles spelled out: places in the palette differ from one answer to another. */
function spelledOut({ styles, slices }: Formats) {
  const named = <Line extends { readonly style?: number }>({ style, ...line }: Line) => ({
    ...line,
    ...(style !== undefined && { style: styles[style] }),
  });
  return slices.map(({ range, properties, cells, rows, columns }) => ({
    range,
    properties,
    cells: cells.map((row) => row.map((place) => JSON.stringify(styles[place]))),
    rows: rows.map(named),
    columns: columns.map(named),
  }));
}

for (const file of ['event_calendar', 'gantt_project_tracker', 'poi-46535', 'poi-51710']) {
  t.test(`${file}: import, export and import again looks the same`, async (t) => {
    const service = await TestService.start(t, {}, {});
    const credential = await service.register();
    const bytes = readFileSync(new URL(`${file}.xlsx`, folder));
    const first = await TestWorkbook.create(service, credential, { bytes });
    const exported = await first.workbook.read('branches/main/export?format=xlsx');
    t.equal(exported.status, 200);
    const second = await TestWorkbook.create(service, credential, { bytes: exported.bytes });
    t.match(second.json, { dropped: [] });
    const looks = [];
    for (const { workbook } of [first, second]) {
      const state = (await workbook.read('branches/main/state')).json as {
        sheets: { name: string; used: string | null }[];
        settings: object;
      };
      const found = [];
      for (const { name, used } of state.sheets) {
        const sheet = encodeURIComponent(`'${name.replaceAll("'", "''")}'`);
        for (const range of ['A:XFD', ...(used === null ? [] : [used])]) {
          const answer = await workbook.read(`formats?range=${sheet}!${range}`);
          t.equal(answer.status, 200, `${name}!${range}: ${answer.text.slice(0, 200)}`);
          found.push({ name, look: spelledOut(answer.json as Formats) });
        }
      }
      const palette = (await workbook.read('formats?range=A1')).json as { namedStyles: object };
      looks.push({ found, settings: state.settings, namedStyles: palette.namedStyles });
    }
    t.same(looks[1], looks[0]);
  });
}
