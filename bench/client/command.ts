import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { summarise, type Figure } from '../report.ts';
import type { RunningService } from '../service/running-service.ts';

const command = fileURLToPath(new URL('../../client/cli/main.js', import.meta.url));
const runs = 25;
const dueMilliseconds = 150;

/** Times `quire get` from its start to the first byte of cells, beside an empty Node process. */
export async function measureCommand(service: RunningService): Promise<Figure[]> {
  const sheets = [{ name: 'Plan', rows: [['Tea', 2, '=B1*2']] }];
  const { id } = (await service.ask('/v1/workbooks', { sheets })) as { id: string };
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    QUIRE_URL: service.url,
    QUIRE_KEY: service.credential,
  };
  const bare: number[] = [];
  const whole: number[] = [];
  for (let run = -2; run < runs; run++) {
    const nothing = await untilPrinted(['-e', 'process.stdout.write("ready")'], env);
    const printed = await untilPrinted([command, 'get', id, 'Plan!A1:C1'], env);
    if (run < 0) continue;
    bare.push(nothing);
    whole.push(printed);
  }
  const { median } = summarise(whole);
  const subject = 'quire get';
  return [
    { subject, measure: 'node alone', unit: 'ms', quire: summarise(bare) },
    {
      subject,
      measure: 'to printed cells',
      unit: 'ms',
      quire: summarise(whole),
      due: `${dueMilliseconds} ms`,
      isMet: median < dueMilliseconds,
    },
  ];
}

async function untilPrinted(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printedAt: number | undefined;
  child.stdout.on('data', () => (printedAt ??= performance.now()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || printedAt === undefined) throw new Error(`it ended with ${code}`);
  return printedAt - started;
}
