import { randomInt } from 'node:crypto';

import { probePort } from '../../server/storage/free-port.ts';

/** Range below the ports that Linux (32768 and up) and others (49152 and up) assign. */
const least = 20_000;
const most = 32_000;
const triesMost = 50;

/**
 * Returns a port for a program that cannot choose a free one itself, such as PostgreSQL. The system
 * does not assign it to others, so it stays free until the program uses it, and across restarts.
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
