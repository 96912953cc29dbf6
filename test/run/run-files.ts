import { once } from 'node:events';
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

/** What files of tests call on the root of tap belongs to the subtest of their file. */
const rootMethods = ['test', 'before', 'comment', 'setTimeout', 'teardown'] as const;

function isFile(message: unknown): message is FileToRun {
  return typeof message === 'object' && message !== null && 'module' in message;
}

async function run({ module, name, timeoutMilliseconds }: FileToRun, all: Test): Promise<void> {
  const options = timeoutMilliseconds > 0 ? { timeout: timeoutMilliseconds } : {};
  const before = process.cpuUsage();
  await all.test(name, options, async (file) => {
    for (const method of rootMethods) {
      Reflect.defineProperty(t, method, { value: file[method].bind(file), configurable: true });
    }
    await import(module);
  });
  const { user, system } = process.cpuUsage(before);
  const time: TimeOfFile = { name, busySeconds: (user + system) / 1e6 };
  process.send?.(time);
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
