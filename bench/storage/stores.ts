import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endsWithUs } from '../child-ends.ts';
import type { Environment } from '../../server/model/environment.ts';
import { openObjects, type Objects } from '../../server/storage/objects.ts';

export interface OpenStore {
  readonly objects: Objects;
  close(): Promise<void>;
}

const s3Program = fileURLToPath(new URL('../../test/support/s3/main.js', import.meta.url));

const environment: Environment = {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  random: (count) => randomBytes(count),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** By the name of the driver. */
export const stores: Readonly<Record<string, () => Promise<OpenStore>>> = {
  async file() {
    const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'));
    const objects = await openObjects(pathToFileURL(folder).href, environment);
    return { objects, close: () => rm(folder, { recursive: true, force: true }) };
  },

  /** The S3 of the tests, in a process of its own and in memory. */
  async s3() {
    process.env['AWS_ACCESS_KEY_ID'] = 'test-key-id';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'test/secret+key';
    const child = endsWithUs(
      spawn(process.execPath, [s3Program], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    const lines = createInterface({ input: child.stdout });
    const [url] = (await once(lines, 'line')) as [string];
    const objects = await openObjects(url, environment);
    const close = async (): Promise<void> => {
      objects.close();
      child.kill();
      await once(child, 'close');
    };
    return { objects, close };
  },
};
