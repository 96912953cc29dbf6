import { readFileSync } from 'node:fs';

/** How a function is called and where that is written: a row of assembly/functions/signatures.tsv. */
export interface FunctionSignature {
  readonly name: string;
  readonly category: string;
  /** Excel's names; those in brackets may be left out, `...` goes on as before. */
  readonly arguments: string;
  readonly source: string;
  /** Known difference from Excel, or nothing. */
  readonly deviation: string;
}

const file = new URL('../../../assembly/functions/signatures.tsv', import.meta.url);

export function readSignatures(): FunctionSignature[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [name = '', category = '', list = '', source = '', deviation = ''] = line.split('\t');
    return { name, category, arguments: list, source, deviation };
  });
}

/** Returns the fewest and most arguments that a signature allows; most is 255 where it goes on. */
export function argumentCounts(list: string): { fewest: number; most: number } {
  const pieces: readonly string[] = list.match(/\[[^\]]*\]|[^,\s][^,]*/gu) ?? [];
  const isRepeated = pieces.includes('...');
  const named = pieces.filter((piece) => piece !== '...');
  const required = named.filter((piece) => !piece.startsWith('['));
  // An argument before one that must be there can be empty, but has its place.
  const last = named.findLastIndex((piece) => !piece.startsWith('['));
  const fewest = isRepeated ? required.length : last + 1;
  const most = named.reduce((sum, piece) => sum + piece.split(',').length, 0);
  return { fewest, most: isRepeated ? 255 : most };
}
