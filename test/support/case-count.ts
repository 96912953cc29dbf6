import type { SeededRandom } from './seeded-random.ts';

/** Returns the number of random cases for a law: the given one, or QUIRE_CASES if that is set. */
export function caseCount(bounded: number): number {
  const wanted = process.env['QUIRE_CASES'];
  if (wanted === undefined) return bounded;
  const count = Number(wanted);
  if (!Number.isInteger(count) || count < 1) throw new Error(`QUIRE_CASES=${wanted} is no count`);
  return count;
}

/** Returns a random sample of a list in order; all of it if QUIRE_CASES is set. */
export function someOf<T>(all: readonly T[], bounded: number, random: SeededRandom): T[] {
  const count = caseCount(bounded);
  const drawn = [...all];
  while (drawn.length > count) drawn.splice(random.between(0, drawn.length - 1), 1);
  return drawn;
}
