import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { say, type Figure } from '../report.ts';
import { buildWorkbook } from './building.ts';
import { measureCopies } from './copies.ts';
import { measureForks } from './forks.ts';
import { measureLines } from './lines.ts';
import { MeasuredService } from './measured-service.ts';
import { measureSlices } from './slices.ts';
import { measureWhole } from './whole.ts';

export interface HistoryOptions {
  readonly only: string | undefined;
  /** Cells of the workbook. */
  readonly size: number;
  /** Folder that keeps the workbook for the next run. */
  readonly program: readonly string[];
}

const operationCount = 100_000;
/** Operations between checkpoints, as the service makes them itself. */
const checkpointEvery = 4_000;

const parts = {
  forks: measureForks,
  slices: measureSlices,
  whole: measureWhole,
  copies: measureCopies,
  lines: measureLines,
};

/** Measures a workbook with a long history: forks, old positions, copies, snapshots. */
export async function runHistoryBench({
  only,
  size,
  program: [kept],
}: HistoryOptions): Promise<Figure[]> {
  const folder = kept ?? (await mkdtemp(join(await realpath(tmpdir()), 'quire-bench-')));
  const service = new MeasuredService(folder);
  await service.start();
  try {
    say('building …');
    const options = { cellCount: size, operationCount, checkpointEvery };
    const built = await buildWorkbook(service, options);
    const figures = [...built.figures];
    for (const [name, measure] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue;
      say(`${name} …`);
      figures.push(...(await measure(service, built)));
    }
    return figures;
  } finally {
    await service.stop();
    if (kept === undefined) await service.remove();
  }
}
