import { compareIds } from '../ids/id-span.ts';
import type { LineId } from '../ids/order.ts';

const endParts = /^(R[^C]*)?(C.*)?$/u;

/**
 * Returns a range by its ends in ids, such as `R{1.4}C2`, the lower of its rows and of its columns
 * first, so that equal ranges have equal texts.
 */
export function sortedEnds(first: string, last: string, between: string): string {
  const [[, row0 = '', column0 = ''], [, row1 = '', column1 = '']] = [first, last].map(
    (end): readonly string[] => endParts.exec(end) ?? [],
  ) as [readonly string[], readonly string[]];
  const [rows, columns] = [[row0, row1].sort(compareLines), [column0, column1].sort(compareLines)];
  return `${rows[0]}${columns[0]}${between}${rows[1]}${columns[1]}`;
}

const lineParts = /^[RC](?:\{(\d+)\.(\d+)\})?(?:\[(-?\d+)\]|(\d+))?$/u;

/** Compares lines by id: the order of lines in a structure made for a formula. */
function compareLines(a: string, b: string): number {
  return compareIds(lineOf(a), lineOf(b)) || (a < b ? -1 : Number(a > b));
}

function lineOf(text: string): LineId {
  const [, branch = 0, sequence = 0, away = 0, line] = lineParts.exec(text) ?? [];
  const offset = line === undefined ? Number(away) : Number(line) - 1;
  return { branch: Number(branch), sequence: Number(sequence), offset };
}
