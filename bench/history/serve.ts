import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

// The service itself, which also says what it holds in memory: SIGUSR2 collects the garbage and
// writes the figures beside the data.

const reportName = 'bench-memory.json';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // Weak references to what the first pass freed go with the second.
  setTimeout(() => {
    globalThis.gc?.();
    const folder = process.env['DATA_DIR'] ?? '.';
    writeFileSync(join(folder, reportName), JSON.stringify(process.memoryUsage()));
  }, 200);
});

// How long the serving thread works at a stretch: a timer that is due each millisecond looks at what
// the thread has used of its processor since it came last.
const looksEveryMilliseconds = 1;
const nanosecondsPerMillisecond = 1e6;
const buffer = Buffer.alloc(128);
const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
let last = usedMilliseconds();
let longest = 0;
let asked = last;

function usedMilliseconds(): number {
  const length = readSync(schedule, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString('latin1', 0, length)) / nanosecondsPerMillisecond;
}

setInterval(() => {
  const used = usedMilliseconds();
  longest = Math.max(longest, used - last);
  last = used;
}, looksEveryMilliseconds).unref();

process.on('message', () => {
  const used = usedMilliseconds();
  process.send?.({ longestMilliseconds: longest, usedMilliseconds: used - asked });
  longest = 0;
  asked = used;
});
process.channel?.unref();
process.on('exit', () => closeSync(schedule));

await import(new URL('../../server/main.js', import.meta.url).href);
