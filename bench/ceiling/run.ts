import { say, type Figure } from '../report.ts';
import { sweptWorkloads } from './engines.ts';
import { measureLibreOffice } from './libre-office.ts';
import { measureService } from './service.ts';
import { caseSecondsMost, sweepWorkloads } from './sweep.ts';
import { targetFigures, transferFigures } from './targets.ts';

export interface CeilingOptions {
  /** Largest number of formulas. */
  readonly size: number;
  /** A workload, `transfers` or `service`; undefined for all. */
  readonly only: string | undefined;
}

/**
 * Measures where evaluation reaches its limits: workloads by size and kind of edit beside other
 * engines, the targets of the kernel, and a workbook of the given size over HTTP.
 */
export async function runCeilingBench({ size, only }: CeilingOptions): Promise<Figure[]> {
  const workloads = sweptWorkloads.filter(({ name }) => only === undefined || only === name);
  const wants = (part: string): boolean => only === undefined || only === part;
  if (workloads.length === 0 && !wants('transfers') && !wants('service')) {
    const names = [...sweptWorkloads.map(({ name }) => name), 'transfers', 'service'];
    throw new Error(`--only is one of ${names.join(', ')}`);
  }
  // The quick figures come first, so that a failure in them does not lose those of the sweep.
  const last: Figure[] = [];
  if (wants('transfers')) last.push(...(await transferFigures()));
  if (wants('service')) last.push(...(await measureService(size)));
  say(`a peer has ${caseSecondsMost} s for a workload of a size`);
  const { sweep, figures } = await sweepWorkloads(workloads, size);
  figures.push(...(await measureLibreOffice(workloads, size)));
  figures.push(...targetFigures(sweep), ...last);
  return figures;
}
