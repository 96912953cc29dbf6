import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import t from 'tap';

import { isLeftOut } from '../support/outside-program.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { inTerminal, missingTerminal } from '../support/terminal.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: each question in a pseudo-terminal. */

t.test('in a terminal, conflicts are gone through one by one', async (t) => {
  if (isLeftOut(t, missingTerminal)) return;
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous', '--name', 'tester');
  const book = await quire.text('new');
  await quire.text('set', book, 'A1', '1', '2', '3', '4');
  await quire.text('branch', book, 'q3');
  await quire.text('set', `${book}@q3`, 'A1', '11', '12', '13', '14');
  await quire.text('set', book, 'A1', '21', '22', '23', '24');
  const gaveUp = await inTerminal(quire, 'o,q', 'merge', book, 'q3');
  t.equal(gaveUp.code, 3, gaveUp.text);
  t.match(gaveUp.text, /1\/4 .*\n *base +1\n *ours +21 +tester.*\n *theirs +11 +tester/);
  const mid = /mrg_\w+/.exec(gaveUp.text)?.[0] ?? '';
  const merged = await inTerminal(quire, '?,o,t,u,c,99,b,s,a,t,w,y', 'merge', book, mid);
  t.match(merged.text, /s skip/);
  const left = await inTerminal(quire, 'o,w,y', 'merge', book, mid);
  t.match(`${merged.text}${left.text}`, /is merged: main@\d+/);
  t.match(await quire.text('get', book, 'A1:D1'), /^21\t99\t3\t24$/);
  const grid = await inTerminal(quire, '', 'get', book, 'A1:B1');
  t.match(grid.text, /^ +A +B\n1 +21 +99\n/);
  const purge = await inTerminal(quire, 'no', 'purge', book);
  t.match(purge, { code: 1, text: /Nothing was deleted/ });
});

t.test('the service is run until it is told to end', async (t) => {
  const quire = await QuireCommand.at(t, '');
  const env = { ...quire.environment, DATABASE_URL: await createMigratedDatabase() };
  const words = [QuireCommand.main, 'serve', '--port', '0', '--data', join(quire.home, 'data')];
  const child = spawn(process.execPath, words, { cwd: quire.home, env });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  while (!/Quire is ready: \S+/.test(shown)) await once(child.stdout, 'data');
  const url = /Quire is ready: (\S+)/.exec(shown)?.[1] ?? '';
  t.match(await quire.text('login', '--anonymous', '--url', url), `Signed in at ${url}`);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'close')) as [number | null];
  t.equal(code, 0);
});
