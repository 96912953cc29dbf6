import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

// Runs the service, which also reports its memory: SIGUSR2 collects garbage and writes figures
// beside the data.

const reportName = 'bench-memory.json';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // The second pass collects weak references to what the first has freed.
  setTimeout(() => {
    globalThis.gc?.();
    const folder = process.env['DATA_DIR'] ?? '.';
    writeFileSync(join(folder, reportName), JSON.stringify(process.memoryUsage()));
  }, 200);
});

// Interval of a timer that reads the used processor time, to find how long the serving thread works
// at a stretch.
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
