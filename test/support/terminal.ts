import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { promisify } from 'node:util';

import { QuireCommand } from './quire-command.ts';

const hasPython = await promisify(execFile)('python3', ['-c', 'import pty']).then(
  () => true,
  () => false,
);
/** Reason to leave out a test that needs a terminal; undefined if there is one. */
export const missingTerminal = hasPython
  ? undefined
  : 'python3, which makes the terminal, is not there';

/** Program that runs a command in a terminal, and types an answer at each prompt. */
const program = `
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

/** Runs the command in a terminal; `answers` are typed one after the other, with commas between. */
export async function inTerminal(
  quire: QuireCommand,
  answers: string,
  ...args: string[]
): Promise<{
  readonly code: number | null;
  /** The output without colours and movements. */
  readonly text: string;
  readonly raw: string;
}> {
  const words = ['-c', program, answers, process.execPath, QuireCommand.main, ...args];
  const child = spawn('python3', words, {
    cwd: quire.home,
    env: { ...quire.environment, TERM: 'xterm' },
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = shown.replaceAll(new RegExp(String.raw`\u001b\[[0-9;?]*[A-Za-z]`, 'g'), '');
  return { code, text: text.replaceAll('\r', ''), raw: shown };
}
