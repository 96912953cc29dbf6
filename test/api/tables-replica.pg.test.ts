import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { TableBook } from '../support/table-book.ts';
import { rowsAt, TableEditor, TableReplica, type Changes } from '../support/table-replica.ts';
import { testSeed } from '../support/test-seed.ts';

/** QUIRE_CASES=10000 follows a table through as many. */
const edits = caseCount(60);

/** Has a copy follow the stream of changes until it is at a position; breaks off once on its way. */
class Follower {
  readonly #book: TableBook;
  readonly replica: TableReplica;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #wake = (): void => undefined;

  constructor(book: TableBook, seq: number) {
    this.#book = book;
    this.replica = new TableReplica(seq);
    this.#ended = this.#follow();
  }

  async reached(seq: number): Promise<void> {
    while (this.replica.seq < seq) await new Promise<void>((resume) => (this.#wake = resume));
    this.#abort.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    while (!this.#abort.signal.aborted) await this.#stream(25);
  }

  /** Goes on from where the copy is, for so many events. */
  async #stream(eventCount: number): Promise<void> {
    const { service, id, credential } = this.#book;
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, this.#abort.signal]);
    const from = `main@${this.replica.seq}`;
    const path = `/v1/workbooks/${id}/tables/Sales/changes?from=main@2`;
    const headers = {
      authorization: `Bearer ${credential}`,
      accept: 'text/event-stream',
      'last-event-id': from,
    };
    let seen = 0;
    let text = '';
    try {
      const answer = await fetch(service.url + path, { signal, headers });
      const decoder = new TextDecoder();
      for await (const piece of answer.body ?? []) {
        text += decoder.decode(piece as Uint8Array, { stream: true });
        const whole = text.split('\n\n');
        text = whole.pop() ?? '';
        for (const event of whole) seen += this.#take(event);
        if (seen >= eventCount) own.abort();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #take(event: string): number {
    const data = /^data: (.*)$/mu.exec(event)?.[1];
    if (data === undefined) return 0;
    this.replica.apply(JSON.parse(data) as Changes);
    this.#wake();
    return 1;
  }
}

t.test('whoever applies the changes to a copy has the table at every step', async (t) => {
  const random = new SeededRandom(testSeed);
  const book = await TableBook.start(t);
  await book.sales();
  const editor = new TableEditor(book, random);
  const replica = new TableReplica(2);
  const follower = new Follower(book, 2);
  for (let edit = 0; edit < edits; edit++) {
    await editor.edit();
    if (random.between(0, 2) > 0 && edit < edits - 1) continue;
    const page = await book.ask(`tables/Sales/changes?from=main@${replica.seq}&limit=1000`);
    replica.apply(page.json as Changes);
    const { seq } = replica;
    t.same(replica.rows, await rowsAt(book, seq), `at ${seq}`);
  }
  await follower.reached(replica.seq);
  t.same(follower.replica.rows, replica.rows, 'the stream of events leads to the same');
});

t.test('a file with tables goes in, is edited by the routes, and comes out whole', async (t) => {
  const book = await TableBook.start(t);
  const cells = [
    ['Item', 'Price', 'Count', 'Sum'],
    ['Tea', 2, 3, null],
    ['Milk', 5, 1, null],
  ];
  const schema = {
    columns: [
      { name: 'Item', type: 'text' },
      { name: 'Price', type: 'number' },
      { name: 'Count', type: 'number' },
      { name: 'Sum', formula: '=[@Price]*[@Count]' },
    ],
  };
  const payload = { sheet: 'Sheet1', range: 'B2:E4', inputs: cells };
  const laid = await book.ops({ kind: 'range.set', payload });
  t.equal(laid.status, 200, laid.text);
  const table = {
    name: 'Shop',
    keyColumn: 'Item',
    schema,
    sheetRange: 'Sheet1!B2:E5',
    totalsRow: true,
    style: { name: 'TableStyleDark3', rowStripes: true },
  };
  const totals = [
    { a1: 'B5', input: 'Total' },
    { a1: 'E5', input: '=SUBTOTAL(109,[Sum])' },
  ];
  const made = await book.ask('branches/main/tables', { body: table });
  t.equal(made.status, 201, made.text);
  const summed = await book.ops({ kind: 'cells.set', payload: { sheet: 'Sheet1', cells: totals } });
  t.equal(summed.status, 200, summed.text);
  const first = await book.ask('branches/main/export?format=xlsx');
  const imported = await book.service.request('/v1/workbooks', {
    credential: book.credential,
    bytes: first.bytes,
    headers: { 'content-type': first.headers.get('content-type') ?? '' },
  });
  const { id } = imported.json as { id: string };
  const ask = (path: string, body?: object, method = 'POST') =>
    book.service.request(`/v1/workbooks/${id}/${path}`, {
      credential: book.credential,
      ...(body && { body, method }),
    });
  const keyed = await ask('branches/main/tables/Shop', { keyColumn: 'Item' }, 'PATCH');
  t.equal(keyed.status, 200, keyed.text);
  const rows = [
    { Item: 'Tea', Price: 4 },
    { Item: 'Bread', Price: 3, Count: 2 },
  ];
  t.match((await ask('branches/main/tables/Shop/rows', { rows })).json, {
    inserted: 1,
    updated: 1,
  });
  const deletion = { mode: 'delete', keys: ['Milk'] };
  t.match((await ask('branches/main/tables/Shop/rows', deletion)).json, { deleted: 1 });
  t.match((await ask('tables/Shop/rows')).json, {
    rows: [
      { Item: 'Tea', Price: 4, Count: 3, Sum: 12 },
      { Item: 'Bread', Price: 3, Count: 2, Sum: 6 },
    ],
  });
  const file = await ask('branches/main/export?format=xlsx');
  const [shop] = readXlsx(file.bytes).tables;
  t.match(shop, {
    name: 'Shop',
    range: 'B2:E5',
    columns: ['Item', 'Price', 'Count', 'Sum'],
    totalsRow: true,
  });
  const xml = tableXml(file.bytes);
  t.match(xml, /<calculatedColumnFormula>[^<]*Price[^<]*\*[^<]*Count/u);
  t.match(xml, /headerRowCount="1" totalsRowCount="1"/u);
  t.match(xml, /ref="B2:E5"/u);
  t.match(xml, /<tableStyleInfo name="TableStyleDark3" [^>]*showRowStripes="1"/u);
  const again = await book.service.request('/v1/workbooks', {
    credential: book.credential,
    bytes: file.bytes,
    headers: { 'content-type': first.headers.get('content-type') ?? '' },
  });
  const reread = (again.json as { id: string }).id;
  const slice = await book.service.request(`/v1/workbooks/${reread}/slice?range=Sheet1!B2:E5`, {
    credential: book.credential,
  });
  t.match(slice.json, {
    rows: [
      ['Item', 'Price', 'Count', 'Sum'],
      ['Tea', 4, 3, 12],
      ['Bread', 3, 2, 6],
      ['Total', null, null, 18],
    ],
  });
});

/** The part of the first table of a file. */
function tableXml(file: Uint8Array): string {
  const part = unzipSync(file)['xl/tables/table1.xml'];
  return part ? strFromU8(part) : '';
}
