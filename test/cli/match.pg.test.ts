import t from 'tap';

import { isLeftOut } from '../support/outside-program.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';
import { inTerminal, missingTerminal } from '../support/terminal.ts';

/** Runs long: a process for each step. */

const service = await TestService.start(t, {}, {});

const ours = ['Northwind Traders', 'Contoso Ltd', 'Fabrikam Components', 'Adventure Works'];
const theirs = ['Northwind Traders', 'Contoso Limited', 'Fabrikam', 'Adventure Workshops'];

async function withTables(quire: QuireCommand): Promise<string> {
  await quire.text('login', '--anonymous');
  const book = await quire.text('new', 'suppliers');
  for (const [name, rows] of Object.entries({ Ours: ours, Theirs: theirs })) {
    const schema = { columns: [{ name: 'Company' }] };
    const make = { kind: 'table.create', payload: { name, keyColumn: 'Company', schema } };
    await quire.run(['ops', book], { input: JSON.stringify(make) });
    const input = JSON.stringify(rows.map((Company) => ({ Company })));
    await quire.run(['table', book, name, 'import'], { input });
  }
  return book;
}

t.test('rows that mean the same are found, decided and written', async (t) => {
  const quire = await QuireCommand.at(t, service.url);
  const book = await withTables(quire);
  const columns = ['Ours.Company', 'Theirs.Company', '--verify-provider', 'none', '--lo', '0.3'];
  const found = await quire.run(['match', book, ...columns]);
  t.match(found, {
    code: 3,
    stdout: /^accept\tNorthwind Traders\tNorthwind Traders\t1\.000\texact$/m,
  });
  const id = /mat_\w+/.exec(found.stderr)?.[0] ?? '';
  t.match(found.stderr, `quire match <book> ${id} --review`);
  t.match(
    await quire.text('match', book),
    `${id}  done  Ours.Company ~ Theirs.Company  1 accepted`,
  );
  t.match(await quire.json('match', book), { matchId: id, status: 'done' });
  const shown = await quire.run(['match', book, id, '--decision', 'review', '--json']);
  t.match(shown, { code: 3, lines: [{ decision: 'review' }] });
  const pair = 'Contoso Ltd=Contoso Limited';
  const one = await quire.run(['match', book, id, '--accept', pair, '--decision', 'accept']);
  t.match(one, { stdout: /^accept\tContoso Ltd\tContoso Limited\t.*\tmanual$/m });
  const rest = await quire.run(['match', book, id, '--reject', 'all', '--decision', 'accept']);
  t.match(rest, { code: 0, stderr: /2 accepted, 0 to review/ });
  const written = await quire.text('match', book, id, '--apply', 'table', '--name', 'Pairs');
  t.match(written, /^Pairs: 2 rows, main@\d+$/);
  t.match(await quire.text('table', book), /^Pairs /m);
  const column = ['match', `${book}@side`, id, '--apply', 'column', '--name', 'Their name'];
  await quire.text('branch', book, 'side');
  t.match(await quire.json(...column), { branch: 'side', rows: 2 });
  const started = await quire.text('match', book, ...columns.slice(0, 2), '--no-wait');
  t.match(started, /^mat_\w+$/);
  t.match(await quire.json('match', book, ...columns.slice(0, 2), '--no-wait'), { status: String });
  t.match(await quire.text('match', book, started, '--cancel'), 'cancelled');
  t.match(await quire.json('match', book, started, '--cancel'), { matchId: started });
});

t.test('what cannot be meant is refused, with what to write', async (t) => {
  const quire = await QuireCommand.at(t, service.url);
  const book = await withTables(quire);
  const refuses = async (code: number, stderr: RegExp, ...args: string[]) => {
    t.match(await quire.run(['match', book, ...args]), { code, stderr }, args.join(' '));
  };
  await refuses(2, /two columns/, 'Ours.Company');
  await refuses(2, /no column of a table/, 'Ours', 'Theirs.Company');
  await refuses(2, /number from 0 to 1/, 'Ours.Company', 'Theirs.Company', '--hi', 'high');
  await refuses(5, /None/, 'None.Company', 'Theirs.Company');
  await refuses(5, /match/i, 'mat_01HZZZZZZZZZZZZZZZZZZZZZZZ');
  const { matchId } = await quire.json(
    'match',
    book,
    'Ours.Company',
    'Theirs.Company',
    '--no-wait',
  );
  const id = String(matchId);
  await refuses(5, /no pair a=b/, id, '--accept', 'a=b');
  await refuses(2, /table, column/, id, '--apply', 'chart');
  await refuses(2, /accept, review, reject/, id, '--decision', 'maybe');
});

t.test('a person decides pair by pair', async (t) => {
  if (isLeftOut(t, missingTerminal)) return;
  const quire = await QuireCommand.at(t, service.url);
  const book = await withTables(quire);
  const columns = ['Ours.Company', 'Theirs.Company', '--verify-provider', 'none', '--lo', '0.3'];
  const { lines } = await quire.run(['match', book, ...columns, '--no-wait', '--json']);
  const { matchId } = lines[0] as { matchId: string };
  const given = ['match', book, matchId, '--review', '--decision', 'accept'];
  const gaveUp = await inTerminal(quire, 'a,q', ...given);
  t.match(gaveUp, { code: 3, text: /Nothing was sent/ });
  const decided = await inTerminal(quire, '?,x,a,u,r,s,w', ...given);
  t.match(decided, { text: /u undo[^]*1 decided/ });
  const counts = await quire.json('match', book);
  t.match(counts, { counts: { accept: 1 } });
});
