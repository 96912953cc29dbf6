/** Returns what a summary counts, in words, without what it counts as `cells` in sum. */
export function countedWords(
  summary: Readonly<Record<string, number>>,
): (readonly [name: string, count: number])[] {
  return Object.entries(summary)
    .filter(([name, count]) => count > 0 && name !== 'cells')
    .map(([name, count]) => [wordsOf(name, count), count]);
}

/** `cellsModified` as `cells modified`, or as `cell modified` where it is one. */
function wordsOf(name: string, count: number): string {
  if (name === 'values') return count === 1 ? 'value calculated anew' : 'values calculated anew';
  const words = name
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replace('cols', 'columns');
  return count === 1 ? words.replace(/^(\w+)s\b/u, '$1') : words;
}
