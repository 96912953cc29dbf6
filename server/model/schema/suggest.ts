/** Texts longer than this were never meant to be a known name. */
const writtenLengthMost = 64;
const distanceMost = 3;

/**
 * Returns the known name closest to a written one, if it is close enough to be a slip. Its work is
 * bounded by the length of the list.
 */
export function suggest(written: string, known: readonly string[]): string | undefined {
  if (written.length > writtenLengthMost) return undefined;
  const lower = written.toLowerCase().replaceAll(/[_-]/g, '');
  let best: string | undefined;
  let bestDistance = Math.min(distanceMost, Math.floor(written.length / 2) + 1);
  for (const name of known) {
    if (name === written) continue;
    const distance = editDistance(lower, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Insertions, deletions and replacements between two words; gives up at the bound. */
function editDistance(from: string, to: string, bound: number): number {
  if (Math.abs(from.length - to.length) >= bound) return bound;
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const deleted = (previous[column] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, deleted));
    }
    previous = current;
  }
  return previous[to.length] ?? bound;
}
