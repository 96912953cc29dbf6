import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { once, summarise, type Figure } from '../report.ts';
import { Dice, formulaFills, mixedBatch, rowsOfInputs } from './journal-mix.ts';
import type { MeasuredService } from './measured-service.ts';

export interface Built {
  readonly id: string;
  readonly rowCount: number;
  /** Sequence number before the mixed operations. */
  readonly firstSeq: number;
  readonly head: number;
  readonly figures: readonly Figure[];
}

const builtFile = 'bench-workbook.json';
const rowsAtOnce = 10_000;
const batchOperations = 1_000;
const columnCount = 10;

export interface BuildOptions {
  readonly cellCount: number;
  readonly operationCount: number;
  /** Operations between two checkpoints. */
  readonly checkpointEvery: number;
}

/** Opens the workbook of an earlier run in the same folder, or builds a new one. */
export async function buildWorkbook(
  service: MeasuredService,
  options: BuildOptions,
): Promise<Built> {
  const path = join(service.folder, builtFile);
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as Built;
  const built = await build(service, options);
  await writeFile(path, JSON.stringify(built));
  return built;
}

async function build(service: MeasuredService, options: BuildOptions): Promise<Built> {
  const rowCount = Math.floor(options.cellCount / columnCount);
  const dice = new Dice(7);
  const { json } = await service.post('/v1/workbooks', {});
  const { id } = json as { id: string };
  const main = `/v1/workbooks/${id}/branches/main`;
  const started = performance.now();
  for (let row = 1; row <= rowCount; row += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rowCount - row + 1);
    await service.post(`${main}/ops`, { ops: [rowsOfInputs(row, count, dice)] });
  }
  const filled = await service.post(`${main}/ops`, { ops: formulaFills(rowCount) });
  const { head: firstSeq } = filled.json as { head: number };
  const writing = performance.now() - started;
  const first = await checkpoint(service, main);
  const subject = 'building';
  const figures: Figure[] = [
    { subject, measure: 'write the cells', unit: 'ms', quire: once(writing) },
    { subject, measure: 'first snapshot', unit: 'ms', quire: once(first.milliseconds) },
    { subject, measure: 'first snapshot', unit: 'MB', quire: once(first.byteCount / 1e6) },
  ];
  const batches: number[] = [];
  const checkpoints: { milliseconds: number; byteCount: number }[] = [];
  let head = firstSeq;
  let rejected = 0;
  for (let done = 0; done < options.operationCount; done += batchOperations) {
    const ops = mixedBatch(batchOperations, rowCount, dice);
    const { milliseconds, json: answer } = await service.post(`${main}/ops`, { ops });
    const { head: now } = answer as { head: number };
    rejected += batchOperations - (now - head);
    head = now;
    batches.push(milliseconds);
    if ((done + batchOperations) % options.checkpointEvery === 0) {
      checkpoints.push(await checkpoint(service, main));
    }
  }
  if (rejected > options.operationCount / 100) throw new Error(`${rejected} were rejected`);
  const rates = batches.map((milliseconds) => (batchOperations * 1_000) / milliseconds);
  const mega = checkpoints.map(({ byteCount }) => byteCount / 1e6);
  const each = checkpoints.map(({ milliseconds }) => milliseconds);
  figures.push(
    { subject, measure: 'mixed operations', unit: '/s', quire: summarise(rates) },
    { subject, measure: 'a later snapshot', unit: 'ms', quire: summarise(each) },
    { subject, measure: 'a later snapshot', unit: 'MB', quire: summarise(mega) },
  );
  return { id, rowCount, firstSeq, head, figures };
}

async function checkpoint(service: MeasuredService, main: string) {
  const { milliseconds, json } = await service.post(`${main}/checkpoint`, {});
  const { written } = json as { written: { byteCount: number } };
  return { milliseconds, byteCount: written.byteCount };
}
