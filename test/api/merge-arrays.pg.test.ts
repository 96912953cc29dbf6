import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { McpClient } from '../support/mcp-client.ts';
import {
  approve,
  conflictsOf,
  fork,
  hashOf,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

// A legacy array that a branch wrote over a cell which the other one wrote, taken with a unit, read
// while its merge is open, kept over a restart and taken back.

const sheet = 'Sheet1';
const range = 'D1:D3';

interface Unit {
  readonly id: string;
  readonly conflicts: readonly string[];
}

async function contested() {
  const folder = await makeTemporaryFolder(t);
  const settings = { DATABASE_URL: await createMigratedDatabase(), DATA_DIR: folder };
  const start = () => TestService.start(t, settings, { formulas: new Formulas() });
  const service = await start();
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 1], ['A2', 2], ['A3', 3]);
  await fork(book, 'f');
  const array = { a1: 'D1', input: '=A1:A3*2', array: range };
  await run(book, 'f', 'cells.set', { sheet, cells: [array] });
  await write(book, 'f', ['H1', 1]);
  await write(book, 'main', ['D2', 5]);
  const { id } = await propose(book, { source: 'f' });
  const restart = async () => {
    await service.app.stop();
    return book.at(await start());
  };
  return { book, id, restart };
}

function group(book: Book, id: string, decision: 'accept' | 'reject') {
  const groups = [
    { id: 'array', members: [{ sheet, range: 'D1' }], decision },
    { id: 'rest', members: ['*'], decision: decision === 'accept' ? 'reject' : 'accept' },
  ];
  return book.ask(`/merges/${id}/units`, { method: 'PUT', body: { groups } });
}

t.test('an array is asked about in the unit of its first cell', async (t) => {
  const { book, id } = await contested();
  const left = await group(book, id, 'reject');
  t.match(left.json, { units: [{ conflicts: [] }, { conflicts: [] }] });
  t.strictSame(await values(book, range, `merge:${id}`), [[null], [5], [null]]);
  const taken = await group(book, id, 'accept');
  const [unit] = (taken.json as { units: readonly Unit[] }).units;
  const conflicts = await conflictsOf(book, id);
  t.match(conflicts, [{ kind: 'cell.value', text: 'Sheet1!D2', unit: 'array' }]);
  t.strictSame(
    unit?.conflicts,
    conflicts.map((conflict) => conflict.id),
  );
  t.match(await approve(book, id), { status: 409, json: { code: 'conflicts_open' } });
  await book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where: {}, choice: 'theirs' }] } });
  t.strictSame(await values(book, range, `merge:${id}`), [[2], [4], [6]]);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'D1:H3'), [
    [2, null, null, null, null],
    [4, null, null, null, null],
    [6, null, null, null, null],
  ]);
});

t.test('an array of an open merge is there after a restart, by MCP too', async (t) => {
  const { book, id, restart } = await contested();
  await book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where: {}, choice: 'theirs' }] } });
  const { digest } = (await book.ask(`/merges/${id}`)).json as { digest: string };
  const later = await restart();
  const ref = `merge:${id}`;
  t.match((await later.ask(`/merges/${id}`)).json, { state: 'review', digest });
  t.strictSame(await values(later, range, ref), [[2], [4], [6]]);
  const client = new McpClient(later.service, later.credential);
  const read = { workbook: later.id, ref, ranges: [`${sheet}!${range}`] };
  t.match(await client.call('range_read', read), { ref, ranges: [{ rows: [[2], [4], [6]] }] });
  const before = await hashOf(later, 'main');
  t.equal((await approve(later, id, { digest })).status, 200);
  const back = await propose(later, { revertOf: id });
  t.strictSame(await conflictsOf(later, back.id), []);
  t.strictSame(await values(later, range, `merge:${back.id}`), [[null], [5], [null]]);
  t.equal((await approve(later, back.id)).status, 200);
  t.equal(await hashOf(later, 'main'), before);
});
