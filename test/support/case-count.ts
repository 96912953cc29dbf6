/** Random cases for one law of the state: so many in tests, QUIRE_CASES where somebody has time. */
export function caseCount(bounded: number): number {
  const wanted = process.env['QUIRE_CASES'];
  if (wanted === undefined) return bounded;
  const count = Number(wanted);
  if (!Number.isInteger(count) || count < 1) throw new Error(`QUIRE_CASES=${wanted} is no count`);
  return count;
}
