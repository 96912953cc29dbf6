import { measureMcp } from '../service/mcp.ts';
import { RunningService } from '../service/running-service.ts';
import type { Figure } from '../report.ts';
import { measureCommand } from './command.ts';
import { measureLibrary } from './library.ts';

export interface ClientOptions {
  readonly seconds: number;
  /** `library`, `command` or `mcp`; all of them when left out. */
  readonly only: string | undefined;
}

/**
 * Measures the overhead of the library, the command and the MCP server, each on a service of its
 * own.
 */
export async function runClientBench({ seconds, only }: ClientOptions): Promise<Figure[]> {
  const service = await RunningService.start();
  const isAsked = (name: string): boolean => only === undefined || only === name;
  try {
    const figures: Figure[] = [];
    if (isAsked('library')) figures.push(...(await measureLibrary(service)));
    if (isAsked('command')) figures.push(...(await measureCommand(service)));
    if (isAsked('mcp')) figures.push(...(await measureMcp(service, seconds)));
    return figures;
  } finally {
    await service.stop();
  }
}
