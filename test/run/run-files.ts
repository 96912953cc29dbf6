import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';

import type { Test } from 'tap';

import { leaveOutDomains } from './domains.ts';
import { noMoreFiles, type FileToRun, type TimeOfFile } from './file-to-run.ts';

/**
 * A process of tests: runs the files that its parent names, one after another, each as a subtest of
 * its own, and ends when the parent has no more. Modules are loaded and compiled once for all.
 */

leaveOutDomains();
const { default: t } = await import('tap');

/** The unit of times in /proc: a hundredth of a second wherever Node runs. */
const ticksOfSecond = 100;

/** Methods of the root of tap that are those of the subtest of a file while the file runs. */
const rootMethods = ['test', 'before', 'comment', 'setTimeout', 'teardown'] as const;

function isFile(message: unknown): message is FileToRun {
  return typeof message === 'object' && message !== null && 'module' in message;
}

async function run({ module, name, timeoutMilliseconds }: FileToRun, all: Test): Promise<void> {
  const options = timeoutMilliseconds > 0 ? { timeout: timeoutMilliseconds } : {};
  const before = busySeconds();
  await all.test(name, options, async (file) => {
    for (const method of rootMethods) {
      Reflect.defineProperty(t, method, { value: file[method].bind(file), configurable: true });
    }
    await import(module);
  });
  const time: TimeOfFile = { name, busySeconds: busySeconds() - before };
  process.send?.(time);
}

/**
 * Time that this process was calculating, and, where the system tells it (proc(5), `cutime` and
 * `cstime` of /proc/self/stat), the processes that it started and that have ended.
 */
function busySeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name of the program, in brackets, may hold anything.
  const [, , , , , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')')).split(' ');
  return (Number(user) + Number(system)) / ticksOfSecond;
}

/** For a process that a test keeps from ending. */
function sayWhatHolds(): void {
  process.stdout.write(`# held open by ${process.getActiveResourcesInfo().join(', ')}\n`);
}

// tap keeps the channel from holding the process open between two files.
const hold = setInterval(() => undefined, 2 ** 30);
void t.test('files', async (all) => {
  process.on('message', (message) => {
    if (isFile(message)) void run(message, all);
    if (message === noMoreFiles) process.disconnect();
  });
  await once(process, 'disconnect');
  clearInterval(hold);
  setTimeout(sayWhatHolds, 10_000).unref();
});
