/** Returns what a summary counts, in words, without what it counts as `cells` in sum. */
export function countedWords(
  summary: Readonly<Record<string, number>>,
): (readonly [name: string, count: number])[] {
  return Object.entries(summary)
    .filter(([name, count]) => count > 0 && name !== 'cells')
    .map(([name, count]) => [wordsOf(name), count]);
}

/** `cellsModified` as `cells modified`. */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace('cols', 'columns');
}
