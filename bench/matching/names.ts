import type { DataSet } from './data-sets.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Returns names of the sets, multiplied by a second word, and the same names with a typing error
 * each.
 */
export function namesOf(sets: readonly DataSet[], count: number) {
  const known = [...new Set(sets.flatMap(({ right }) => right))].filter((name) => name !== '');
  const right: string[] = [];
  const left: string[] = [];
  let random = 7;
  const next = (below: number): number => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((random / 2 ** 32) * below);
  };
  for (let row = 0; row < count; row++) {
    const name = known[row % known.length] ?? '';
    const other = (known[next(known.length)] ?? '').split(' ')[0] ?? '';
    const made = row < known.length ? name : `${name} ${other}`;
    const at = next(made.length);
    right.push(made);
    left.push(made.slice(0, at) + (letters[next(letters.length)] ?? '') + made.slice(at + 1));
  }
  return { left, right };
}
