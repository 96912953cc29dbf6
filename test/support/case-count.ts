import type { SeededRandom } from './seeded-random.ts';

/** Random cases for one law of the state: so many in tests, QUIRE_CASES where somebody has time. */
export function caseCount(bounded: number): number {
  const wanted = process.env['QUIRE_CASES'];
  if (wanted === undefined) return bounded;
  const count = Number(wanted);
  if (!Number.isInteger(count) || count < 1) throw new Error(`QUIRE_CASES=${wanted} is no count`);
  return count;
}

/** So many of a list in its order, drawn at random; all of them where QUIRE_CASES is set. */
export function someOf<T>(all: readonly T[], bounded: number, random: SeededRandom): T[] {
  const count = caseCount(bounded);
  const drawn = [...all];
  while (drawn.length > count) drawn.splice(random.between(0, drawn.length - 1), 1);
  return drawn;
}
