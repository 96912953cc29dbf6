import { cellName, columnName, parseColumn } from '../../server/model/address.ts';
import type { FormulaReference, FormulaService } from '../../server/model/formula-service.ts';
import { parseRange } from '../../server/model/range.ts';

const cell = String.raw`\$?[A-Za-z]{1,3}\$?\d+`;
const reference = new RegExp(
  String.raw`(?:('(?:[^']|'')+'|[A-Za-z_]\w*)!)?(${cell}(?::${cell})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?\d+:\$?\d+)(?![\w(!])`,
  'gu',
);
const place =
  /'(?:[^']|'')+'|(\$?)([A-Z]{1,3})(\$?)(\d+)(?![\w(!])|(?<![\w$])(\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+)(?![\w(!])/giu;
const relativeLines = /(?<![\w\]])([RC])(\[-?\d+\]|\d*):\1(\[-?\d+\]|\d*)(?![\w([])/gu;
/** A range that has left the grid with one end has left it as a whole. */
const lostEnd = new RegExp(`#REF!:(?:#REF!|${cell})|${cell}:#REF!`, 'gu');
const relative = /(?<![A-Za-z])R(\[-?\d+\]|\d*)C(\[-?\d+\]|\d*)(?![\w(])/gu;

function flagsOf(text: string): number {
  const [start = '', end = start] = text.split(':');
  let flags = 0;
  if (/\$\d/u.test(start)) flags |= 1;
  if (/^\$[A-Z]/iu.test(start)) flags |= 2;
  if (/\$\d/u.test(end)) flags |= 4;
  if (/^\$[A-Z]/iu.test(end)) flags |= 8;
  if (/^\$?[A-Z]+:/iu.test(text)) flags |= 16;
  if (/^\$?\d+:/u.test(text)) flags |= 32;
  if (!text.includes(':')) flags |= 64;
  return flags;
}

function distance(count: number): string {
  return count === 0 ? '' : `[${count}]`;
}

/** The line that a part of a cell in R1C1 means, and the dollar before it if it is a number. */
function lineFrom(part: string, here: number): { line: number; fixed: string } {
  const isFixed = part !== '' && !part.startsWith('[');
  const line = isFixed ? Number(part) - 1 : here + Number(part.slice(1, -1));
  return { line, fixed: isFixed ? '$' : '' };
}

function linesToR1C1(lines: string, row: number, column: number): string {
  const ends = lines.split(':').map((end) => {
    const [letter, text] = [/\d/u.test(end) ? 'R' : 'C', end.replace('$', '')];
    const line = letter === 'R' ? Number(text) - 1 : (parseColumn(text) ?? 0);
    const isFixed = end.startsWith('$');
    return letter + (isFixed ? `${line + 1}` : distance(line - (letter === 'R' ? row : column)));
  });
  return ends.join(':');
}

/**
 * A double of the formula language for tests of state and journal: references, without a grammar.
 */
export class FormulaDouble implements FormulaService {
  check(text: string) {
    const isOpen = text.split('(').length !== text.split(')').length;
    if (text.length < 2 || isOpen) return { ok: false as const, message: 'unexpected end', at: 1 };
    return { ok: true as const };
  }

  toR1C1(text: string, row: number, column: number): string {
    return text.replaceAll(place, (...match) => {
      const [whole, fixedColumn, letters, fixedRow, digits, lines] = match as string[];
      if (lines !== undefined) return linesToR1C1(lines, row, column);
      const toColumn = parseColumn(letters ?? '');
      if (toColumn === undefined) return whole ?? '';
      const toRow = Number(digits) - 1;
      const rowPart = fixedRow === '$' ? `${toRow + 1}` : distance(toRow - row);
      const columnPart = fixedColumn === '$' ? `${toColumn + 1}` : distance(toColumn - column);
      return `R${rowPart}C${columnPart}`;
    });
  }

  fromR1C1(text: string, row: number, column: number): string {
    const withLines = text.replaceAll(relativeLines, (...match) => {
      const [, letter, first = '', last = ''] = match as string[];
      const ends = [first, last].map((part) => lineFrom(part, letter === 'R' ? row : column));
      if (ends.some(({ line }) => line < 0)) return '#REF!';
      const spelled = ends.map(({ line, fixed }) => {
        return `${fixed}${letter === 'R' ? line + 1 : columnName(line)}`;
      });
      return spelled.join(':');
    });
    const read = withLines.replaceAll(relative, (...match) => {
      const [, rowPart = '', columnPart = ''] = match as string[];
      const { line: toRow, fixed: fixedRow } = lineFrom(rowPart, row);
      const { line: toColumn, fixed: fixedColumn } = lineFrom(columnPart, column);
      if (toRow < 0 || toColumn < 0) return '#REF!';
      if (fixedColumn + fixedRow === '') return cellName(toRow, toColumn);
      return `${fixedColumn}${columnName(toColumn)}${fixedRow}${toRow + 1}`;
    });
    return read.replaceAll(lostEnd, '#REF!');
  }

  references(text: string): FormulaReference[] {
    return [...text.matchAll(reference)].flatMap((match) => {
      const [whole, prefix, rangeText = ''] = match;
      const range = parseRange(rangeText.replaceAll('$', ''));
      if (!range) return [];
      const name = prefix?.startsWith("'") ? prefix.slice(1, -1).replaceAll("''", "'") : prefix;
      const start = match.index;
      return [
        { start, end: start + whole.length, sheet: name, ...range, flags: flagsOf(rangeText) },
      ];
    });
  }
}
