import { readFileSync } from 'node:fs';
import t from 'tap';
import { cellName, parseAddress } from '../../server/model/address.ts';
import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Operation } from '../../server/model/operation.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import { toOperations } from '../../workers/files/to-operations.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { valueForm } from '../../workers/decode.ts';
import { modelSheets } from '../../workers/model-source.ts';
import { StateDriver } from '../support/state-driver.ts';

const folder = new URL('../../../test/workbooks/', import.meta.url);

/** Cells whose cached value cannot come out again, and why. */
interface Exception {
  readonly sheet: string;
  readonly cells: RegExp;
  readonly why: string;
}

/** When each file was calculated last: its own NOW() or TODAY() says so. */
const files: Readonly<Record<string, { clockSerial: number; exceptions: readonly Exception[] }>> = {
  event_calendar: { clockSerial: 46_233.61021388889, exceptions: [] },
  gantt_project_tracker: { clockSerial: 46_226.522759375, exceptions: [] },
  'poi-46535': { clockSerial: 46_000, exceptions: [] },
  'poi-51710': { clockSerial: 46_000, exceptions: [] },
};

function isSame(found: Value, cached: Value): boolean {
  if (typeof found === 'number' && typeof cached === 'number') {
    return found === cached || Math.abs(found - cached) <= 1e-12 * Math.abs(cached);
  }
  return JSON.stringify(found) === JSON.stringify(cached);
}

/** The model that the operations of an import make, through the branch state. */
function modelOf(operations: Iterable<Operation>) {
  const driver = new StateDriver(new Formulas());
  const kernel = Kernel.create();
  const mutations: Mutation[] = [];
  for (const operation of operations) {
    const admitted = driver.apply(operation.kind, operation.payload);
    mutations.push(...admitted.mutations);
  }
  kernel.apply(mutations);
  return { kernel, driver };
}

function isFormula(input: Input): boolean {
  return typeof input === 'object' && input !== null && 'formula' in input;
}

function written(kernel: Kernel, sheets: Parameters<typeof modelSheets>[1]): Uint8Array {
  const chunks: Uint8Array[] = [];
  const source = { date1904: false, names: [], tables: [], sheets: modelSheets(kernel, sheets) };
  writeXlsx(source, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Cells that hold something, without formats, for comparing one file with another. */
function contentOf(cells: Iterable<SourceCell>): string[] {
  return [...cells]
    .filter(({ input }) => input !== null)
    .map(({ row, column, input }) => `${cellName(row, column)} ${JSON.stringify(input)}`);
}

for (const [file, { clockSerial, exceptions }] of Object.entries(files)) {
  const workbook = readXlsx(readFileSync(new URL(`${file}.xlsx`, folder)), { keepValues: true });
  const now = { clockSerial, seedHigh: 0, seedLow: 0 };
  const { kernel, driver } = modelOf(toOperations(workbook));
  while (!kernel.recalculate(now, 1e8));
  const outlines = driver.state.structure.sheets;

  t.test(`${file}: every formula gives the value that the file has cached`, (t) => {
    for (const { name, content } of workbook.sheets) {
      const key = outlines.find((outline) => outline.name === name)?.key ?? 0;
      let count = 0;
      for (const { row, column, input, value: cached = '' } of content.cells()) {
        if (!isFormula(input)) continue;
        count++;
        const cell = cellName(row, column);
        const here = { row0: row, column0: column, row1: row, column1: column };
        const [[found = null] = []] = kernel.readRange(key, here, {
          lens: 'value',
          form: valueForm,
        });
        if (isSame(found, cached)) continue;
        const known = exceptions.find(({ sheet, cells }) => sheet === name && cells.test(cell));
        const formula = JSON.stringify(input);
        if (known !== undefined) t.comment(`${name}!${cell}: ${known.why}`);
        else t.fail(`${name}!${cell} ${formula}`, { found, cached });
      }
      t.pass(`${name}: ${count} formulas`);
    }
    t.end();
  });

  t.test(`${file}: survives an export to .xlsx and an import`, (t) => {
    const sheets = outlines.map(({ key, name }) => ({ key, name, formats: [] }));
    const again = readXlsx(written(kernel, sheets), { keepValues: true });
    for (const [index, { name, content }] of workbook.sheets.entries()) {
      const other = again.sheets[index];
      t.equal(other?.name, name);
      t.same(contentOf(other?.content.cells() ?? []), contentOf(content.cells()), name);
    }
    t.end();
  });

  t.test(`${file}: an edit recalculates as a fresh calculation would`, (t) => {
    const edited = editOf(outlines[0]?.key ?? 1);
    kernel.apply(edited);
    while (!kernel.recalculate(now, 1e8));
    const fresh = modelOf(toOperations(workbook)).kernel;
    fresh.apply(edited);
    while (!fresh.recalculate(now, 1e8));
    t.same(allValues(kernel), allValues(fresh));
    t.end();
  });
}

function editOf(sheet: number): Mutation[] {
  return ['A1', 'B2', 'C3', 'E4'].map((name, index) => {
    const { row, column } = parseAddress(name) ?? { row: 0, column: 0 };
    return { kind: 'cell', sheet, row, column, input: 2020 + index };
  });
}

function allValues(kernel: Kernel): unknown[] {
  const values: unknown[] = [];
  const visit = (cell: unknown): unknown => values.push(cell);
  while (kernel.readValues(values.length, 1_000_000, visit) > 0);
  return values;
}
