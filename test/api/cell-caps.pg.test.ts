import t from 'tap';
import type { Test } from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { FrontDoor } from '../support/front-door.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Runs long: a million cells come in each way. */

/** Caps of a registration hold, whichever way cells come. */

const million = 1_000_000;

/** Limits as strangers meet them: the service is bound to every address, and asked on loopback. */
async function startPublic(t: Test): Promise<TestService> {
  const door = await FrontDoor.open(t);
  const address = { HOST: '0.0.0.0', BASE_URL: door.url };
  const settings = { ...address, RATE_LIMITS: 'on', LOG_LEVEL: 'silent' };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  door.leadTo(service.app.ports.api);
  return service;
}

function submit(book: Book, ...ops: object[]): Promise<TestAnswer> {
  return book.ask('/branches/main/ops', { body: { ops } });
}

const fill = (range: string, input: unknown = 1) => ({
  kind: 'range.fill',
  payload: { sheet: 'Sheet1', range, input },
});

async function cellsUsed(book: Book): Promise<unknown> {
  const { credential } = book;
  const { json } = await book.service.request('/v1/account/usage', { credential });
  return (json as { caps: { cells?: unknown } }).caps.cells;
}

t.test('an agent that nobody claimed has a million cells, and no more', async (t) => {
  const service = await startPublic(t);
  const book = await Book.create(service);
  const most = await submit(book, fill(`A1:A${million - 10}`));
  t.equal(most.status, 200, most.text);
  const over = await submit(book, fill('B1:B1000', '=A1'));
  const refused = { status: 'rejected', error: { code: 'too_many_cells' } };
  const used = million - 10;
  const figures = { limit: 'cells', used, usedHere: used, max: million };
  t.match(over.json, { results: [{ error: { ...figures, hint: /POST \/agent\/auth\/claim/ } }] });
  t.match(await submit(book, fill('B1:B10')), { status: 200, json: { status: 'applied' } });
  t.match((await book.set('C1', 1)).json, { results: [refused] });
  t.match((await submit(book, fill('A1:A1000', 2))).json, { status: 'applied' }, 'no cell more');
  const others = [
    { kind: 'range.copy', payload: { sheet: 'Sheet1', source: 'A1:A5', to: 'D1' } },
    { kind: 'sheet.add', payload: { name: 'Copy', copyOf: 'Sheet1' } },
    { kind: 'range.set', payload: { sheet: 'Sheet1', range: 'E1:F1', inputs: [[1, 2]] } },
    { kind: 'range.autofill', payload: { sheet: 'Sheet1', source: 'B1:B10', target: 'B1:B30' } },
  ];
  for (const op of others) t.match((await submit(book, op)).json, { results: [refused] }, op.kind);
  t.equal((await book.ask('/slice?range=Sheet1!A1:B20')).status, 200, 'it is read as before');
  t.match(await cellsUsed(book), { limit: million, used: million, remaining: 0 });

  const { credential } = book;
  const another = await Book.create(service, { credential });
  t.match((await another.set('A1', 1)).json, { results: [refused] }, 'all workbooks together');
  const rows = [[1, 2, 3]];
  const made = await service.request('/v1/workbooks', {
    credential,
    body: { sheets: [{ name: 'S', rows }] },
  });
  const capped = {
    status: 403,
    json: { code: 'plan_cap', limit: 'cells', used: million, max: million, hint: /auth\/claim/ },
  };
  t.match(made, capped);
  const imported = await service.request('/v1/workbooks', {
    method: 'POST',
    credential,
    bytes: new TextEncoder().encode('1,2\n3,4\n'),
    headers: { 'content-type': 'text/csv' },
  });
  t.match(imported, capped, 'cells that came in before the last one do not count');

  const cleared = { kind: 'range.clear', payload: { sheet: 'Sheet1', range: 'A1:A100' } };
  t.match((await submit(book, cleared)).json, { status: 'applied' });
  t.match((await book.set('C1', 1)).json, { status: 'applied' }, 'room is room again');
  const stranger = await Book.create(service);
  t.match((await stranger.set('A1', 1)).json, { status: 'applied' });
});

t.test('a branch counts with what it has more than its parent', async (t) => {
  const service = await startPublic(t);
  const book = await Book.create(service);
  await submit(book, fill('A1:A600000'));
  await book.ask('/branches', { body: { name: 'side' } });
  const onSide = (op: object) => book.ask('/branches/side/ops', { body: { ops: [op] } });
  t.match((await onSide(fill('B1:B300000'))).json, { status: 'applied' });
  t.match(await onSide(fill('C1:C300000')), { status: 409 });
  t.match(await submit(book, fill('D1:D200000')), { status: 409 });
  const merge = { source: 'side', target: 'main', apply: 'auto' };
  const merged = await book.ask('/merges', { body: merge });
  t.match(merged, { status: 409 }, 'main would have 300,000 more, which side has too');
  t.match(merged.text, /cells/);
  await book.ask('/branches/side', { method: 'DELETE' });
});

t.test('on loopback caps are as wide as usage says', async (t) => {
  const service = await TestService.start(t, { RATE_LIMITS: 'on' }, { formulas: new Formulas() });
  const book = await Book.create(service);
  const { credential } = book;
  const usage = await service.request('/v1/account/usage', { credential });
  t.match(usage.json, {
    caps: {
      workbooks: { limit: 1_000, used: 1 },
      cells: { limit: 100 * million },
      readsPerMinute: 30_000,
      writesPerMinute: 12_000,
    },
  });
  const me = await service.request('/agent/auth/me', { credential });
  t.match(me.json, {
    data: {
      limits: { workbooks: 1_000, cells: 100 * million, requests_per_minute: 30_000 },
    },
  });
  const policy = (await service.request('/v1/workbooks', { credential })).headers.get('ratelimit');
  t.match(policy, /r=29\d{3}/, 'as the headers say');
  t.match((await submit(book, fill('A:B'))).json, { status: 'applied' });
});

t.test('a workbook over its memory takes nothing more, and is read', async (t) => {
  const settings = { WORKBOOK_MEMORY_MIB: '8', LOG_LEVEL: 'silent' };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const book = await Book.create(service);
  let refused: TestAnswer | undefined;
  for (let column = 0; column < 40 && !refused; column++) {
    const letter = String.fromCodePoint(65 + (column % 26));
    const sheet = column < 26 ? '' : 'A';
    const range = `${sheet}${letter}1:${sheet}${letter}100000`;
    const answer = await submit(book, fill(range, column));
    if (answer.status === 409) refused = answer;
    // Weighing follows writes within a moment.
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const limits = { limit: 'workbookBytes', used: Number, max: 8 << 20 };
  t.match(refused?.json, { results: [{ error: { code: 'workbook_too_large', ...limits } }] });
  t.equal((await book.ask('/slice?range=A1:C3')).status, 200);
  const cleared = { kind: 'range.clear', payload: { sheet: 'Sheet1', range: 'A:AZ' } };
  t.match((await submit(book, cleared)).json, { status: 'applied' });
  const small = await Book.create(service, { credential: book.credential });
  t.match((await small.set('A1', 1)).json, { status: 'applied' });
});
