import { writeFileSync } from 'node:fs';
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

await import(new URL('../../server/main.js', import.meta.url).href);
