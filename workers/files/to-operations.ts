import type { Operation } from '../../server/model/operation.ts';
import { quoteSheet, rangeName } from '../../server/model/range.ts';
import { writeInput } from '../../server/model/input.ts';
import { calculatedColumns } from './calculated-columns.ts';
import { CellBlocks, type CharacterBudget } from './cell-blocks.ts';
import { findFills, type Fill } from './fill-runs.ts';
import { formatOperations } from './format-areas.ts';
import type {
  ImportedName,
  ImportedSheet,
  ImportedTable,
  ImportedWorkbook,
} from './imported-workbook.ts';
import { sheetLookOperations, workbookOperations } from './look-operations.ts';
import { recordOperations } from './record-operations.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { LineRun } from './sheet-look.ts';

/**
 * Yields the operations that turn an empty workbook into this one, in order. A filled range is one
 * range.fill, however long; the rest goes in bounded blocks. Tables come after their header cells.
 * Records come last, so that rules refuse no value of the file.
 */
export function* toOperations(workbook: ImportedWorkbook): Generator<Operation> {
  if (workbook.date1904) {
    yield { kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } };
  }
  for (const [index, { name }] of workbook.sheets.entries()) {
    yield { kind: 'sheet.add', payload: { name, index } };
  }
  yield* workbookOperations(workbook.look);
  for (const name of workbook.names) yield nameOperation(name);
  const budget: CharacterBudget = { used: 0 };
  for (const sheet of workbook.sheets) yield* sheetOperations(sheet, budget);
  for (const table of workbook.tables) {
    const own = workbook.sheets.find(({ name }) => name === table.sheet);
    yield tableOperation(table, calculatedColumns(table, own));
  }
  const counter = { threads: 0 };
  for (const { name, records = [] } of workbook.sheets) {
    yield* recordOperations(name, records, counter);
  }
}

function tableOperation(
  { sheet, columns, range, ...table }: ImportedTable,
  formulas: readonly (string | undefined)[],
): Operation {
  const { name, headerRow, totalsRow, style } = table;
  const definitions = columns.map((column, index) => {
    const formula = formulas[index];
    return { name: column, ...(formula !== undefined && { formula }) };
  });
  return {
    kind: 'table.create',
    payload: {
      name,
      sheetRange: `${quoteSheet(sheet)}!${range}`,
      schema: { columns: definitions },
      ...(headerRow ? {} : { headerRow }),
      ...(totalsRow ? { totalsRow } : {}),
      ...(style && { style }),
    },
  };
}

function nameOperation({ name, scope, formula, comment }: ImportedName): Operation {
  return {
    kind: 'name.set',
    payload: {
      name,
      formula,
      ...(scope === undefined ? {} : { scope }),
      ...(comment === undefined ? {} : { comment }),
    },
  };
}

function* sheetOperations(sheet: ImportedSheet, budget: CharacterBudget): Generator<Operation> {
  const { name, content, look } = sheet;
  yield* sheetLookOperations(name, look);
  const { fills, rests } = findFills(content.columns());
  for (const fill of fills) yield fillOperation(name, content, fill);
  yield* new CellBlocks(name, content, budget).operations(rests);
  const hasStyles = ({ value }: LineRun) => value.style !== undefined;
  yield* formatOperations(name, content, look.rows.some(hasStyles) || look.columns.some(hasStyles));
}

function fillOperation(sheet: string, content: SheetCells, fill: Fill): Operation {
  const input = content.inputOf(fill.column, fill.index);
  const isLegacy = typeof input === 'object' && input !== null && 'legacy' in input;
  return {
    kind: 'range.fill',
    payload: {
      sheet,
      range: rangeName(fill.range),
      input: writeInput(input),
      ...(isLegacy ? { legacy: true } : {}),
    },
  };
}
