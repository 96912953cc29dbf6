import { randomInt } from 'node:crypto';

import { probePort } from '../../server/storage/free-port.ts';

/** Below the ports that Linux (32768 and up) and others (49152 and up) give to who asks for any. */
const least = 20_000;
const most = 32_000;
const triesMost = 50;

/**
 * A port for a program that cannot be told to take any free one, as PostgreSQL. It is not among
 * those that a system gives away by itself, so it stays free until the program has it, and while
 * the program is started again.
 */
export async function quietPort(): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      return await probePort('127.0.0.1', randomInt(least, most));
    } catch (error) {
      if (tries === triesMost) throw error;
    }
  }
}
