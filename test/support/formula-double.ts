import { cellName, columnName, parseColumn } from '../../server/model/address.ts';
import type { FormulaReference, FormulaService } from '../../server/model/formula-service.ts';
import { parseRange } from '../../server/model/range.ts';

const cell = String.raw`\$?[A-Za-z]{1,3}\$?\d+`;
const reference = new RegExp(
  String.raw`(?:('(?:[^']|'')+'|[A-Za-z_]\w*)!)?(${cell}(?::${cell})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?\d+:\$?\d+)(?![\w(!])`,
  'gu',
);
const relative = /R(\[-?\d+\]|\d+)C(\[-?\d+\]|\d+)/gu;

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

/** Enough of the formula language for tests of state and journal: references, no grammar. */
export class FormulaDouble implements FormulaService {
  check(text: string) {
    const isOpen = text.split('(').length !== text.split(')').length;
    if (text.length < 2 || isOpen) return { ok: false as const, message: 'unexpected end', at: 1 };
    return { ok: true as const };
  }

  toR1C1(text: string, row: number, column: number): string {
    return text.replaceAll(/(\$?)([A-Z]{1,3})(\$?)(\d+)(?![\w(!])/giu, (...match) => {
      const [whole, fixedColumn, letters, fixedRow, digits] = match as string[];
      const toColumn = parseColumn(letters ?? '');
      if (toColumn === undefined) return whole ?? '';
      const toRow = Number(digits) - 1;
      const rowPart = fixedRow === '$' ? `${toRow + 1}` : `[${toRow - row}]`;
      const columnPart = fixedColumn === '$' ? `${toColumn + 1}` : `[${toColumn - column}]`;
      return `R${rowPart}C${columnPart}`;
    });
  }

  fromR1C1(text: string, row: number, column: number): string {
    return text.replaceAll(relative, (...match) => {
      const [, rowPart = '', columnPart = ''] = match as string[];
      const line = (part: string, here: number) =>
        part.startsWith('[') ? here + Number(part.slice(1, -1)) : Number(part) - 1;
      const toRow = line(rowPart, row);
      const toColumn = line(columnPart, column);
      if (toRow < 0 || toColumn < 0) return '#REF!';
      const fixedColumn = columnPart.startsWith('[') ? '' : '$';
      const fixedRow = rowPart.startsWith('[') ? '' : '$';
      if (fixedColumn + fixedRow === '') return cellName(toRow, toColumn);
      return `${fixedColumn}${columnName(toColumn)}${fixedRow}${toRow + 1}`;
    });
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
