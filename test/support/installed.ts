import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { root } from './sources.ts';

/** Ends a command whose tools of others are not installed, and says how they are. */
export function needInstalled(folder: string): void {
  if (existsSync(join(root, folder, 'node_modules'))) return;
  process.stderr.write(`Its tools are not installed: run npm ci --prefix ${folder} first.\n`);
  process.exit(2);
}
