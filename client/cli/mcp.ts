import { createInterface } from 'node:readline';
import process from 'node:process';

import type { Context } from './context.ts';
import { McpBridge } from './mcp-bridge.ts';
import { exitCodes } from './stop.ts';

/**
 * Runs the Model Context Protocol on standard input and output, for clients that start programs.
 */
export async function mcp(context: Context): Promise<number> {
  const { terminal, signal } = context;
  // A missing sign-in is reported at the start, and not at the first call of a tool.
  context.quire();
  const bridge = new McpBridge({
    address: `${context.url.replace(/\/+$/, '')}/mcp`,
    key: () => context.freshKey(),
    send: (message) => terminal.json(message),
    note: (text) => terminal.warn(`quire: ${text}`),
  });
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  const stop = (): void => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  process.once('SIGTERM', stop);
  for await (const line of lines) {
    if (line.trim() !== '') bridge.take(line);
  }
  await bridge.end();
  return exitCodes.done;
}
