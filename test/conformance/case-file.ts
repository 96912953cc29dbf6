import { parseAddress } from '../../server/model/address.ts';
import { parseRange } from '../../server/model/range.ts';
import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import type { WorkbookSource } from '../../workers/files/workbook-source.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import type { CorpusCase, CorpusCell } from './corpus.ts';
import { inputOf, isOfFile } from './run-case.ts';

/** A case as .xlsx, without cached values: whoever opens it has to calculate. */
export function caseFile(corpusCase: CorpusCase): Uint8Array {
  const chunks: Uint8Array[] = [];
  writeXlsx(sourceOf(corpusCase), (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

function sourceOf(corpusCase: CorpusCase): WorkbookSource {
  const { sheets, names = [], tables = [], epoch } = corpusCase;
  const isLegacy = isOfFile(corpusCase);
  return {
    date1904: epoch === '1904',
    sheets: Object.entries(sheets).map(([name, cells]) => ({
      name,
      cells: () => sourceCells(cells, isLegacy),
    })),
    names: names.map(({ name, ref, scope }) => {
      return { name, scope, formula: ref.startsWith('=') ? ref : `=${ref}` };
    }),
    tables: tables.map(({ ref, ...table }) => ({ ...table, range: ref.replaceAll('$', '') })),
  };
}

/** In the order of a file: row by row, each from left to right. */
function sourceCells(
  cells: Readonly<Record<string, CorpusCell>>,
  isLegacy: boolean,
): readonly SourceCell[] {
  const found = Object.entries(cells).map(([address, cell]) => sourceCell(address, cell, isLegacy));
  return found.toSorted((a, b) => a.row - b.row || a.column - b.column);
}

function sourceCell(address: string, cell: CorpusCell, isLegacy: boolean): SourceCell {
  const place = parseAddress(address);
  if (place === undefined) throw new Error(`${address} is no cell`);
  const spill = cell.dynamic === true ? parseRange(cell.array ?? '') : undefined;
  return {
    ...place,
    input: inputOf(cell, address, isLegacy),
    ...(spill && {
      spillRows: spill.row1 - spill.row0 + 1,
      spillColumns: spill.column1 - spill.column0 + 1,
    }),
  };
}
