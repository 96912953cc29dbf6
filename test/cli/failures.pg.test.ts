import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import t from 'tap';

import { isLeftOut } from '../support/outside-program.ts';
import { QuireCommand, type Ran } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: a process for each thing that can go wrong. */

function isShort({ stderr }: Ran): boolean {
  return !/\n\s+at |node:internal|wbk_live_/.test(stderr) && stderr.split('\n').length <= 4;
}

t.test('each wrong call says what to do next, and ends with its code', async (t) => {
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  t.match(await quire.run(['whoami']), { code: 4, stderr: /quire login --anonymous/ });
  await quire.text('login', '--anonymous');
  const book = await quire.text('new');
  const wrong: [string[], number, RegExp][] = [
    [['gets'], 2, /no command gets/],
    [['--no-retry', 'ls'], 2, /follow the command, as in .quire ls --no-retry/],
    [['get'], 2, /workbook .* is missing/],
    [['get', book], 2, /range is missing/],
    [['get', book, 'nonsense!!'], 2, /is no range/],
    [['get', book, 'A1', '--lense', 'value'], 2, /--lense.*get --help/],
    [['get', book, 'A1', '--lens', 'fish'], 2, /is no lens/],
    [['get', 'nonsense', 'A1'], 2, /is no workbook/],
    [['get', 'wb_00000000000000000000000000', 'A1'], 5, /quire: /],
    [['get', 'nobody/nothing', 'A1'], 5, /no workbook/],
    [['get', `${book}@nowhere`, 'A1'], 5, /quire: /],
    [['get', book, 'Nowhere!A1'], 5, /quire: /],
    [['set', book, 'A1'], 2, /written is missing/],
    [['set', `${book}@main@1`, 'A1', '1'], 2, /only the head/],
    [['set', book, 'A1:B2', '1', '2', '3'], 2, /4 cells, and 3 inputs/],
    [['set', book, 'Nowhere!A1', '1'], 6, /Operation 1 was rejected/],
    [['new', '--from', 'none.xlsx'], 2, /none\.xlsx cannot be read/],
    [['export', book, '-o', 'x.pdf'], 2, /pdf is no format/],
    [
      ['export', book, 'x.xlsx'],
      2,
      /x\.xlsx is one .* too many\. Usage: quire export .* \[-o <file>\]/,
    ],
    [['log', book, 'A1'], 2, /A1 is one argument too many/],
    [['find', book, 'two', 'words'], 2, /words is one argument too many/],
    [['ls', 'all'], 2, /all is one argument too many/],
    [['log', book, '-n', 'many'], 2, /--number/],
    [['merge', book, 'nowhere'], 5, /quire: /],
    [['merge', book, 'main', '--choose', 'x'], 2, /no choice|is no/],
    [['undo', book, '999'], 6, /rejected/],
    [['proof', book], 2, /main@42/],
    [['login'], 2, /--anonymous/],
    [['completion', 'csh'], 2, /bash, zsh, fish/],
    [['whoami', '--url', 'nonsense'], 4, /not signed in/],
    [['table', book, 'None'], 5, /no table None/],
  ];
  for (const [args, code, words] of wrong) {
    const ran = await quire.run(args);
    t.equal(ran.code, code, `${args.join(' ')}: ${ran.stderr}`);
    t.match(ran.stderr, words);
    t.equal(ran.stdout, '');
    t.ok(isShort(ran), ran.stderr);
  }
  await writeFile(join(quire.home, 'bad.xlsx'), 'this is no archive');
  const file = await quire.run(['new', '--from', 'bad.xlsx', '--json']);
  const { error } = JSON.parse(file.stderr) as { error: { code: string; hint: string } };
  t.match(error, { code: 'invalid_file', status: Number });
  const input = '{"kind": "cells.set"}\n{"kind": ';
  t.match(await quire.run(['ops', book], { input }), {
    code: 2,
    stderr: /line 2, is no operation/,
  });
  const key = { env: { QUIRE_KEY: 'wbk_live_nobodyskeynobodyskeynobodyskeynobodyskey' } };
  const refused = await quire.run(['ls'], key);
  t.match(refused, { code: 4, stderr: /comes from QUIRE_KEY.*`quire login`/ });
  t.ok(isShort(refused), refused.stderr);
  const credential = (await quire.text('whoami', '--show-key')).match(/wbk_live_\w+/u)?.[0] ?? '';
  const json = await quire.run(['get', book, 'nonsense!!', '--json']);
  t.match(JSON.parse(json.stderr), { error: { detail: /is no range/ } });
  const authorization = `Bearer ${credential}`;
  await fetch(`${url}/agent/auth/revoke`, { method: 'POST', headers: { authorization } });
  const revoked = await quire.run(['ls']);
  t.match(revoked, { code: 4, stderr: /was revoked\. `quire login` signs in again/ });
});

t.test('a service that is not there, or is none, is named', async (t) => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<html>Sign in</html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const quire = await QuireCommand.at(t, page);
  const env = { QUIRE_KEY: 'wbk_live_secret' };
  const html = await quire.run(['ls'], { env });
  t.match(html, { code: 1, stderr: new RegExp(`${page} answered 200 with text/html.*proxy`) });
  const nobody = await quire.run(['ls', '--url', 'http://127.0.0.1:9', '--no-retry'], { env });
  t.match(nobody, { code: 7, stderr: /Nothing answers at http:\/\/127\.0\.0\.1:9/ });
  t.ok(isShort(nobody) && isShort(html));
  const secure = page.replace('http:', 'https:');
  for (const words of [['ls'], ['login', '--anonymous']]) {
    const plain = await quire.run([...words, '--url', secure, '--no-retry'], { env });
    t.match(plain, { code: 7, stderr: new RegExp(`No HTTPS is spoken there: perhaps ${page} is`) });
  }
  const login = await quire.run(['login', '--anonymous']);
  t.match(login, { code: 1, stderr: /no Quire service/ });
});

t.test('a key goes to the service that it is of, and to no other', async (t) => {
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous');
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.match(await quire.run(['ls', '--url', other]), { code: 4, stderr: /not signed in at/ });
  t.equal(asked, 0);
  // Variables that are empty are as good as none: the profile says where, and by which key.
  const env = { QUIRE_URL: '', QUIRE_KEY: '', QUIRE_PROFILE: '' };
  t.match(await quire.run(['whoami'], { env }), { code: 0, stdout: new RegExp(url) });
});

t.test('credentials that cannot be read or written are told', async (t) => {
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous');
  const file = join(quire.home, 'quire/credentials.json');
  await writeFile(file, '{ this is nothing');
  t.match(await quire.run(['ls']), { code: 1, stderr: /is damaged.*sign in again/ });
  await writeFile(join(quire.home, 'file'), '');
  await chmod(join(quire.home, 'file'), 0o600);
  const env = { XDG_CONFIG_HOME: join(quire.home, 'file') };
  t.match(await quire.run(['login', '--anonymous'], { env }), { code: 1, stderr: /cannot be/ });
});

t.test('where no space is left, it says so and what to do', async (t) => {
  if (isLeftOut(t, existsSync('/dev/full') ? undefined : '/dev/full is not there')) return;
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous');
  const book = await quire.text('new');
  await quire.text('set', book, 'A1', '1');
  const full = {
    code: 1,
    stderr: /^quire: .*cannot be written: no space is left there\. Free some/,
  };
  const file = await quire.run(['export', book, '--format', 'csv', '-o', '/dev/full']);
  const policy = await quire.run(['policy', '-o', '/dev/full']);
  for (const ran of [file, policy]) {
    t.match(ran, full);
    t.ok(isShort(ran), ran.stderr);
  }
  const none = await quire.run(['export', book, '-o', 'nowhere/a.csv']);
  t.match(none, { code: 1, stderr: /nowhere\/a\.csv cannot be written: its folder is not there/ });
  const bare = await quire.run(['export', book, '-o', 'bare']);
  t.match(bare, { code: 2, stderr: /bare has no ending that names a format: xlsx/ });
  const line = '"$0" "$@" > /dev/full';
  for (const words of [
    ['get', book, 'A1'],
    ['export', book],
    ['get', book, 'A1', '--json'],
  ]) {
    const given = ['-c', line, process.execPath, QuireCommand.main, ...words];
    const child = spawn('sh', given, { cwd: quire.home, env: quire.environment });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    t.equal(code, 1);
    t.match(stderr, /Standard output cannot be written: no space is left there/);
    t.ok(isShort({ code, stdout: '', stderr, lines: [] }), stderr);
  }
});

t.test('a pipe that is closed early ends well', async (t) => {
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous');
  const rows = Array.from({ length: 20_000 }, (_, at) => [at, `text ${at}`]);
  const { stdout } = await quire.run(['new', '--from', '-'], { input: JSON.stringify(rows) });
  const line = '("$0" "$1" get "$2" A1:B20000; echo $? > code) | head -1';
  const words = ['-c', line, process.execPath, QuireCommand.main, stdout.trim()];
  const child = spawn('sh', words, { cwd: quire.home, env: quire.environment });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await once(child, 'close');
  t.equal(text, '0\ttext 0\n');
  t.equal(errors, '');
  t.equal((await readFile(join(quire.home, 'code'), 'utf8')).trim(), '0');
});
