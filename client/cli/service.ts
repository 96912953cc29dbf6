import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { Context } from './context.ts';
import { serviceEnvironment } from './environment.ts';
import { exitCodes, Stop } from './stop.ts';

/** Runs the service of this installation until it is stopped. */
export async function serve(context: Context): Promise<number> {
  const main = fileURLToPath(
    new URL(`../../server/main${extname(import.meta.url)}`, import.meta.url),
  );
  if (!existsSync(main)) {
    throw new Stop(exitCodes.failed, 'The service is not installed beside this command.');
  }
  const port = context.option('port');
  const data = context.option('data');
  const settings = {
    ...(port !== undefined && { PORT: port }),
    ...(data !== undefined && { DATA_DIR: data }),
  };
  const service = spawn(process.execPath, [main], {
    stdio: 'inherit',
    env: serviceEnvironment(settings),
  });
  const stop = (): boolean => service.kill('SIGTERM');
  context.signal.addEventListener('abort', stop, { once: true });
  process.once('SIGTERM', stop);
  const [code] = (await once(service, 'exit')) as [number | null];
  return code ?? exitCodes.done;
}
