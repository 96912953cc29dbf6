import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { isLeftOut } from '../support/outside-program.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

const hasPython = await promisify(execFile)('python3', ['-c', 'import pty']).then(
  () => true,
  () => false,
);
const missing = hasPython ? undefined : 'python3, which makes the terminal, is not there';

/** Runs a command in a terminal of its own, and types an answer at each sign that waits for one. */
const inTerminal = `
import os, pty, select, sys, time
answers = sys.argv[1].split(',')
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen, typed = b'', 0
while True:
    ready, _, _ = select.select([terminal], [], [], 20)
    if not ready:
        break
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    waiting = seen.rstrip(b' ').endswith((b']', b':')) or b'] \\x1b' in data or b': \\x1b' in data
    if waiting and typed < len(answers):
        time.sleep(0.1)
        os.write(terminal, answers[typed].encode() + b'\\r')
        typed += 1
        seen += b'\\n'
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(status))
`;

async function typed(quire: QuireCommand, answers: string, ...args: string[]) {
  const words = ['-c', inTerminal, answers, process.execPath, QuireCommand.main, ...args];
  const child = spawn('python3', words, {
    cwd: quire.home,
    env: { ...quire.environment, TERM: 'xterm' },
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = shown.replaceAll(new RegExp(String.raw`\u001b\[[0-9;?]*[A-Za-z]`, 'g'), '');
  return { code, text: text.replaceAll('\r', '') };
}

t.test('in a terminal, conflicts are gone through one by one', async (t) => {
  if (isLeftOut(t, missing)) return;
  const { url } = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous', '--name', 'tester');
  const book = await quire.text('new');
  await quire.text('set', book, 'A1', '1', '2', '3', '4');
  await quire.text('branch', book, 'q3');
  await quire.text('set', `${book}@q3`, 'A1', '11', '12', '13', '14');
  await quire.text('set', book, 'A1', '21', '22', '23', '24');
  const gaveUp = await typed(quire, 'o,q', 'merge', book, 'q3');
  t.equal(gaveUp.code, 3, gaveUp.text);
  t.match(gaveUp.text, /1\/4 .*\n *base +1\n *ours +21 +tester.*\n *theirs +11 +tester/);
  const mid = /mrg_\w+/.exec(gaveUp.text)?.[0] ?? '';
  const merged = await typed(quire, '?,o,t,u,c,99,b,s,a,t,w,y', 'merge', book, mid);
  t.match(merged.text, /s skip/);
  const left = await typed(quire, 'o,w,y', 'merge', book, mid);
  t.match(`${merged.text}${left.text}`, /is merged: main@\d+/);
  t.match(await quire.text('get', book, 'A1:D1'), /^21\t99\t3\t24$/);
  const grid = await typed(quire, '', 'get', book, 'A1:B1');
  t.match(grid.text, /^ +A +B\n1 +21 +99\n/);
  const purge = await typed(quire, 'no', 'purge', book);
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
