import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';

import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: some 250 processes, one after another; `matrix` has a call of each command. */

async function signedIn(t: Test): Promise<{ quire: QuireCommand; service: TestService }> {
  const service = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, service.url);
  await quire.text('login', '--anonymous', '--name', 'tester');
  return { quire, service };
}

async function withPlan(quire: QuireCommand): Promise<string> {
  const rows = [['Tea', 2.5, '=B1*2']];
  await writeFile(
    join(quire.home, 'plan.json'),
    JSON.stringify({ sheets: [{ name: 'Plan', rows }] }),
  );
  return quire.text('new', 'plan', '--from', 'plan.json');
}

t.test('an agent signs in, sees who it is, and signs out', async (t) => {
  const { quire, service } = await signedIn(t);
  const file = join(quire.home, 'quire/credentials.json');
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const { profiles } = JSON.parse(await readFile(file, 'utf8')) as {
    profiles: { default: { key: string } };
  };
  const { key } = profiles.default;
  t.match(await quire.text('whoami'), /^agt_\w+.* at http.*, may read, write$/);
  t.notMatch(await quire.text('whoami'), key);
  t.equal((await quire.text('whoami', '--show-key')).split('\n')[1], key);
  t.match(await quire.json('whoami'), { user_id: /^agt_/, url: service.url, profile: 'default' });
  t.match(await quire.text('usage'), /^Plan anonymous[^]*operations/);
  t.match(await quire.json('usage'), { plan: 'anonymous' });
  const other = await QuireCommand.at(t, service.url);
  t.equal((await other.run(['login', '--with-key'], { input: `${key}\n` })).code, 0);
  t.match(await other.json('whoami', '--profile', 'default'), { user_id: /^agt_/ });
  t.match(await quire.json('login', '--anonymous', '--profile', 'second'), { user_id: /^agt_/ });
  t.match(await quire.text('logout'), 'revoked');
  t.equal((await quire.run(['whoami'])).code, 4);
  t.match(await other.run(['whoami']), { code: 4, stderr: /^quire: / });
  t.equal((await quire.run(['whoami', '--profile', 'second'])).code, 0);
  t.match(await quire.json('logout', '--profile', 'second'), { profile: 'second' });
});

t.test('cells are read and written', async (t) => {
  const { quire } = await signedIn(t);
  const book = await withPlan(quire);
  t.equal(await quire.text('get', book, 'Plan!A1:C1'), 'Tea\t2.5\t5');
  t.equal(await quire.text('get', book, 'Plan!A1:C1', '--csv'), 'Tea,2.5,5');
  t.equal(await quire.text('get', book, 'Plan!C1', '--lens', 'formula'), '=B1*2');
  t.match(await quire.json('get', book, 'Plan!A1:C1'), { rows: [['Tea', 2.5, 5]], sheet: 'Plan' });
  t.equal(await quire.text('set', book, 'Plan!B1', '3'), 'Plan!C1: 5 → 6');
  t.match(await quire.json('set', book, 'Plan!B1', '-4'), {
    status: 'applied',
    changes: { cells: [{ a1: 'C1', before: 6, after: -8 }] },
  });
  t.equal(await quire.text('find', book, 'tea'), 'Plan!A1\tTea');
  t.match(await quire.json('find', book, 'b1', '--lens', 'formula'), { cell: 'C1' });
  t.match(await quire.run(['find', book, 'tea', '--case']), { code: 0, stderr: /Nothing/ });
  t.match(await quire.run(['find', book, 'a', '--lens', 'x']), { code: 2, stderr: /no lens/ });
  const trial = ['scenario', book, 'Plan!B1=10', '-f', 'SUM(B1:C1)', '--read', 'Plan!B1:C1'];
  t.equal(
    await quire.text(...trial),
    'Plan!B1: -4 → 10\nPlan!C1: -8 → 20\n=SUM(B1:C1)\n  30\nPlan!B1:C1\n  10\t20',
  );
  t.match(await quire.json(...trial), { formulas: [{ rows: [[30]] }], changes: { total: 2 } });
  t.match(await quire.run(['scenario', book, 'B1']), { code: 2, stderr: /Plan!B1=3/ });
  t.equal(await quire.text('edge', book, 'Plan!A1', 'right'), 'Plan!C1');
  t.match(await quire.json('edge', `${book}@main@2`, 'Plan!A1', 'down'), { cell: 'A1048576' });
  t.match(await quire.run(['edge', book, 'A1', 'north']), { code: 2, stderr: /up, down/ });
  await quire.text('set', book, 'Plan!A2:B3', 'Milk', '50%', 'Rice', '2026-01-31');
  await quire.text('set', book, 'Plan!A4', 'one', 'two', 'three');
  await quire.text('set', book, 'Plan!A5', '007', '--raw');
  const tsv = await quire.run(['set', book, 'Plan!D1', '-'], { input: '1\t2\n3\n' });
  t.match(tsv, { code: 0, stderr: /applied, now at main@/ });
  t.equal(
    await quire.text('get', book, 'Plan!A2:E4'),
    'Milk\t0.5\t\t3\t\nRice\t46053\t\t\t\none\ttwo\tthree',
  );
  t.match(await quire.json('get', book, 'Plan!A5'), { rows: [['007']] });
  t.equal(await quire.text('get', `${book}@main@2`, 'Plan!B1'), '2.5');
  const ops = [
    { kind: 'cells.set', payload: { cells: [{ a1: 'A9', input: 9 }] } },
    { kind: 'sheet.delete', payload: { sheet: 'None' } },
  ];
  const list = await quire.run(['ops', book, '-'], { input: JSON.stringify(ops) });
  t.match(list, { code: 6, stderr: /Operation 2 was rejected: / });
  const lines = ops.slice(0, 1).map((one) => JSON.stringify(one));
  const ndjson = await quire.run(['ops', book, '--json'], { input: `${lines.join('\n')}\n` });
  t.match(ndjson, { code: 0, lines: [{ results: [{ status: 'noop' }] }] });
  const watching = quire.text('watch', book, '--count', '1');
  const watched = quire.json('watch', book, 'Plan!A9', '--count', '1');
  const timer = setInterval(() => void quire.run(['set', book, 'Plan!A9', '10']), 1_000);
  t.match(await watching, /^\d+ {2}cells\.set {2}tester$/);
  t.same(await watched, [[9]]);
  clearInterval(timer);
});

t.test('workbooks come, go out as files, and go', async (t) => {
  const { quire } = await signedIn(t);
  const book = await withPlan(quire);
  t.match(await quire.text('ls'), new RegExp(`^${book}  \\S+/plan$`));
  t.match(await quire.json('ls'), { id: book, name: 'plan' });
  t.equal(await quire.text('export', book), 'Tea,2.5,5');
  await quire.text('export', book, '-o', 'copy.xlsx');
  t.match(await quire.json('export', book, '-o', 'copy.json'), {
    file: 'copy.json',
    format: 'json',
  });
  t.match(await quire.json('import', '--from', 'copy.xlsx'), { name: 'copy', dropped: [] });
  t.match(await quire.run(['new', '--from', 'copy.json']), { code: 2, stderr: /as \.xlsx/ });
  const piped = await quire.run(['new', 'piped', '--from', '-'], { input: 'a,1\nb,2\n' });
  t.equal(await quire.text('get', piped.stdout.trim(), 'B2'), '2');
  const rows = await quire.run(['new', '--from', '-', '--json'], { input: '[[1, "=A1+1"]]' });
  t.match(rows, { code: 0, lines: [{ id: /^wb_/ }] });
  t.match(await quire.json('new'), { id: /^wb_/ });
  const { namespace } = await quire.json('ls');
  t.equal(await quire.text('get', `${namespace as string}/plan`, 'A1'), 'Tea');
  t.match(await quire.text('archive', book), /is archived/);
  t.equal((await quire.run(['set', book, 'A1', '1'])).code, 6);
  t.match(await quire.text('ls', '--archived'), / archived/);
  t.match(await quire.text('restore', book), /is back/);
  t.match(await quire.json('archive', book), { state: 'archived' });
  t.match(await quire.json('restore', book), { id: book });
  t.match(await quire.run(['purge', book]), { code: 2, stderr: /-y/ });
  t.match(await quire.run(['purge', book, '-y']), { code: 4, stderr: /scope|account/ });
});

t.test('branches are compared, merged and taken back', async (t) => {
  const { quire } = await signedIn(t);
  const book = await withPlan(quire);
  t.match(await quire.text('branch', book, 'q3'), 'q3 begins at main.');
  t.match(await quire.json('fork', book, 'q4', '--from', 'main@2'), { branch: 'q4', head: Number });
  t.match(await quire.text('branches', book), /^main@\d+\nq3@\d+\nq4@\d+$/);
  t.match(await quire.json('branch', book), { name: 'main' });
  t.match(await quire.text('branch', book, 'q4', '-d'), 'deleted');
  await quire.text('set', `${book}@q3`, 'Plan!B1', '7');
  t.equal(await quire.text('diff', book, 'main', 'q3'), '→ Plan!B1  2.5 → 7');
  t.match(await quire.text('diff', book, 'main', 'q3', '--values'), '≈ Plan!C1  5 → 14');
  t.match(await quire.json('diff', book, 'main', 'q3'), { list: 'cells', a1: { to: 'B1' } });
  t.match(await quire.text('diff', book, 'main', 'q3', '--stat'), /1 cells modified/);
  t.match(await quire.text('diff', book, 'main', 'q3', '--patch'), /B1/);
  t.match(await quire.text('diff', book, 'main', 'q3', '--csv'), /B1/);
  t.equal((await quire.run(['diff', book, 'main', 'q3', '--exit-code'])).code, 3);
  t.equal((await quire.run(['diff', book, 'q3', 'q3', '--exit-code'])).code, 0);
  await quire.text('set', book, 'Plan!B1', '8');
  const trial = await quire.run(['merge', book, 'q3', '--dry-run']);
  t.match(trial, { code: 3, stdout: /^q3 into main: 1 changed cells, 1 to decide$/m });
  const told = await quire.run(['merge', book, 'q3', '--dry-run', '--json']);
  t.match(told, { code: 3, lines: [{ summary: {} }] });
  const open = await quire.run(['merge', book, 'q3']);
  t.match(open, { code: 3, stdout: /ours 8, theirs 7/, stderr: /quire merge <book> mrg_/ });
  const mid = /mrg_\w+/.exec(open.stderr)?.[0] ?? '';
  const listed = await quire.run(['merge', book, mid, '--json']);
  t.match(listed, { code: 3, lines: [{ kind: 'cell.value', ours: { input: 8 } }] });
  const [{ id }] = listed.lines as [{ id: string }];
  const decided = await quire.text('merge', book, mid, '--choose', `${id}=theirs`);
  t.match(decided, `${mid} is ready`);
  t.match(await quire.text('merge', book, mid, '--approve'), /is merged: main@\d+$/);
  t.equal(await quire.text('get', book, 'Plan!B1:C1'), '7\t14');
  const [newest = '', ...older] = (await quire.text('log', book)).split('\n');
  t.match(newest, / merge$/);
  t.ok(older.some((line) => line.endsWith('cells.set, 1 cell')));
  t.ok(older.length > 1);
  t.match(await quire.json('log', book, '-n', '1'), { kind: 'merge' });
  t.match(await quire.text('log', book, '--cell', 'Plan!B1'), /^B1 {2}q3@\d+ {2}tester/);
  t.match(await quire.json('log', book, '--cell', 'Plan!B1'), { cell: 'B1' });
  const seq = /@(\d+)/.exec(newest)?.[1] ?? '';
  t.equal(await quire.text('undo', book, seq), 'Plan!C1: 14 → 16');
  t.match(await quire.json('undo', book, '3'), { status: 'applied' });
  t.match(await quire.text('commit', book, '-m', 'v1', '--tag', 'v1'), / is commit:v1$/);
  t.match(await quire.json('commit', book), { ref: /^main@/ });
  t.ok(await quire.text('get', `${book}@commit:v1`, 'Plan!A1'));
  t.match(await quire.text('checkpoint', book), /main is stored/);
  t.match(await quire.json('checkpoint', book), {});
  await quire.text('set', `${book}@q3`, 'Plan!A8', '1');
  await quire.text('set', book, 'Plan!A8', '2');
  t.match(await quire.text('merge', book, 'q3', '--abort'), 'aborted');
  await writeFile(join(quire.home, 'choices.json'), '{}');
  const theirs = ['merge', book, 'q3', '--theirs', '--from', 'choices.json', '--approve'];
  t.match(await quire.json(...theirs), { state: 'merged' });
});

t.test('tables are written and read', async (t) => {
  const { quire } = await signedIn(t);
  const book = await withPlan(quire);
  const schema = { columns: [{ name: 'Item' }, { name: 'Price', type: 'number' }] };
  const payload = { name: 'Sales', keyColumn: 'Item', schema };
  await quire.run(['ops', book], { input: JSON.stringify({ kind: 'table.create', payload }) });
  const rows = JSON.stringify([
    { Item: 'Tea', Price: 2 },
    { Item: 'Rice', Price: 4 },
  ]);
  t.equal((await quire.run(['table', book, 'Sales', 'import'], { input: rows })).code, 0);
  const state = await quire.json('log', book, '-n', '1');
  const next = JSON.stringify([{ Item: 'Tea', Price: 3 }]);
  await quire.run(['table', book, 'Sales', 'upsert', '-'], { input: next });
  await quire.run(['table', book, 'Sales', 'delete'], { input: '["Rice"]' });
  t.match(await quire.text('table', book), /^Sales  A1:B2  key Item$/);
  t.match(await quire.json('table', book), { name: 'Sales' });
  t.equal(await quire.text('table', book, 'Sales'), 'Item\tPrice\nTea\t3');
  const from = `main@${String(state['seq'])}`;
  const changes = await quire.text('table', book, 'Sales', 'changes', '--from', from);
  t.match(changes, /^→ Tea {2}Price$/m);
  t.match(changes, /^- Rice/m);
  const refused = await quire.run(['table', book, 'Sales', 'drop'], { input: '[]' });
  t.match(refused, { code: 2, stderr: /none of import/ });
});

t.test('rows of a table are asked for, and groups of them', async (t) => {
  const { quire } = await signedIn(t);
  const book = await withPlan(quire);
  const schema = ['Item', '2024', 'Price'].map((name) => ({ name }));
  const payload = { name: 'Sales', keyColumn: 'Item', schema: { columns: schema } };
  await quire.run(['ops', book], { input: JSON.stringify({ kind: 'table.create', payload }) });
  t.equal(await quire.text('table', book, 'Sales'), 'Item\t2024\tPrice');
  const rows = [
    { Item: 'Tea', 2024: 1, Price: -2 },
    { Item: -7, 2024: 1, Price: 4 },
    { Item: 'Ri\nce', 2024: 2, Price: 6 },
  ];
  await quire.run(['table', book, 'Sales', 'import'], { input: JSON.stringify(rows) });
  const ask = (...words: string[]) => quire.text('table', book, 'Sales', ...words);
  t.equal(await ask(), 'Item\t2024\tPrice\nTea\t1\t-2\n-7\t1\t4\nRi ce\t2\t6');
  t.equal(await ask('--where', '[@Price]>0', '--columns', 'Price'), 'Price\n4\n6');
  t.equal(await ask('--keys', '-7', '--columns', '2024,Item'), '2024\tItem\n1\t-7');
  t.equal(await ask('--order=-Price', '-n', '1', '--columns', 'Item'), 'Item\nRi ce');
  const groups = ['--group', '2024', '--sum', 'Price', '--count'];
  t.equal(await ask(...groups), '2024\tcount\tsum Price\n1\t2\t2\n2\t1\t6');
  t.equal(await ask(...groups, '--order=-count', '-n', '1'), '2024\tcount\tsum Price\n1\t2\t2');
  t.same(await quire.json('table', book, 'Sales', '-n', '1'), rows[0]);
  const wrong = await quire.run(['table', book, 'Sales', '--where', '[@Cost]>1']);
  t.match(wrong, { code: 6, stderr: /no column Cost.*Its columns are/s });
  const mixed = await quire.run(['table', book, 'Sales', 'import', '--count'], { input: '[]' });
  t.match(mixed, { code: 2, stderr: /--count is for rows that are printed/ });
});

t.test('a proof is kept, and checked without the service', async (t) => {
  const { quire, service } = await signedIn(t);
  const book = await withPlan(quire);
  const { seq } = await quire.json('log', book, '-n', '1');
  await quire.text('proof', `${book}@main@${String(seq)}`, '-o', 'one.tlog-proof');
  await quire.text('policy', '-o', 'policy.txt');
  t.match(await quire.json('policy'), { policy: /^log / });
  t.match(await quire.json('proof', `${book}@main@${String(seq)}`), { proof: /^c2sp/ });
  t.match(await quire.text('verify', book), /is what was written/);
  t.match(await quire.json('verify', book), { ok: true });
  await service.app.stop();
  const check = ['verify', 'one.tlog-proof', '--policy', 'policy.txt'];
  t.match(await quire.text(...check), new RegExp(`^Proven: operation ${String(seq)} of ${book}`));
  t.match(await quire.json(...check), { ok: true, seq });
  const text = await readFile(join(quire.home, 'one.tlog-proof'), 'utf8');
  await writeFile(join(quire.home, 'bad.tlog-proof'), text.replace('\nindex ', '\nindex 1'));
  const bad = await quire.run(['verify', 'bad.tlog-proof', '--policy', 'policy.txt']);
  t.match(bad, { code: 1, stdout: /^Not proven: / });
  t.match(await quire.run(['verify', 'one.tlog-proof']), { code: 2, stderr: /--policy/ });
});
