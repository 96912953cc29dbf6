import type { Figure } from '../report.ts';
import { measureMcp } from './mcp.ts';
import { measureOperations } from './operations.ts';
import { measureReads } from './reads.ts';
import { RunningService } from './running-service.ts';

export interface ServiceOptions {
  readonly seconds: number;
  /** `single`, `batches`, `reads` or `mcp`; all of them when left out. */
  readonly only: string | undefined;
  /** Program and options to be measured in the place of the service itself. */
  readonly program: readonly string[];
}

/**
 * Measures a service in a process of its own, on the same machine as PostgreSQL and its clients.
 */
export async function runServiceBench(options: ServiceOptions): Promise<Figure[]> {
  const { only, program } = options;
  const service = await RunningService.start(program.length > 0 ? program : undefined);
  try {
    const figures = await measureOperations(service, options);
    if (only === undefined || only === 'reads') figures.push(...(await measureReads(service)));
    if (only === undefined || only === 'mcp') {
      figures.push(...(await measureMcp(service, options.seconds)));
    }
    return figures;
  } finally {
    await service.stop();
  }
}
