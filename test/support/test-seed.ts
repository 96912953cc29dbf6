import * as fc from 'fast-check';

// Fixed, so that a change is judged by what it changed; QUIRE_SEED gives other cases.
const usualSeed = 20_260_101;

/** Seed of the random cases: QUIRE_SEED is a number, or `random` for another each time. */
export const testSeed = readSeed(process.env['QUIRE_SEED']);

fc.configureGlobal({ seed: testSeed });

function readSeed(wanted: string | undefined): number {
  if (wanted === undefined) return usualSeed;
  if (wanted === 'random') return Date.now() % 2 ** 31;
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error(`QUIRE_SEED=${wanted} is no seed`);
  return seed;
}
