/** Returns the counts of a summary in words, without `cells`, which is a sum of others. */
export function countedWords(
  summary: Readonly<Record<string, number>>,
): (readonly [name: string, count: number])[] {
  return Object.entries(summary)
    .filter(([name, count]) => count > 0 && name !== 'cells')
    .map(([name, count]) => [wordsOf(name, count), count]);
}

/** Returns `cellsModified` as `cells modified`, or for a count of one `cell modified`. */
function wordsOf(name: string, count: number): string {
  if (name === 'values') return count === 1 ? 'value that differs' : 'values that differ';
  const words = name
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replace('cols', 'columns');
  return count === 1 ? words.replace(/^(\w+)s\b/u, '$1') : words;
}
