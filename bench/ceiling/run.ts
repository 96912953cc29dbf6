import { say, type Figure } from '../report.ts';
import { sweptWorkloads } from './engines.ts';
import { measureLibreOffice } from './libre-office.ts';
import { measureService } from './service.ts';
import { caseSecondsMost, sweepWorkloads } from './sweep.ts';
import { targetFigures, transferFigures } from './targets.ts';

export interface CeilingOptions {
  /** The largest size. */
  readonly size: number;
  /** A workload, `transfers` or `service`; everything when left out. */
  readonly only: string | undefined;
}

/**
 * Where evaluation comes to its limits: workloads by sizes by kinds of edit beside other engines,
 * the targets of the kernel, and a workbook of as many formulas as the size says over HTTP.
 */
export async function runCeilingBench({ size, only }: CeilingOptions): Promise<Figure[]> {
  const workloads = sweptWorkloads.filter(({ name }) => only === undefined || only === name);
  const wants = (part: string): boolean => only === undefined || only === part;
  if (workloads.length === 0 && !wants('transfers') && !wants('service')) {
    const names = [...sweptWorkloads.map(({ name }) => name), 'transfers', 'service'];
    throw new Error(`--only is one of ${names.join(', ')}`);
  }
  // The quick figures come first: a fault in them must not cost the figures of the sweep.
  const last: Figure[] = [];
  if (wants('transfers')) last.push(...(await transferFigures()));
  if (wants('service')) last.push(...(await measureService(size)));
  say(`a peer has ${caseSecondsMost} s for a workload of a size`);
  const { sweep, figures } = await sweepWorkloads(workloads, size);
  figures.push(...(await measureLibreOffice(workloads, size)));
  figures.push(...targetFigures(sweep), ...last);
  return figures;
}
