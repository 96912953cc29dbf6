import * as fc from 'fast-check';
import t from 'tap';

import {
  patchStyle,
  plainStyle,
  readStyle,
  styleText,
  writeStyle,
  type CellStyle,
  type StylePatch,
  type WireStyle,
} from '../../../server/model/cell-style.ts';
import { parseAddress } from '../../../server/model/address.ts';
import { parseSheetRange, type Range } from '../../../server/model/range.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import { formatsOf } from '../../../server/state/plan/plan.ts';
import { readFormats } from '../../../server/state/cells/sheet-formats.ts';
import { caseCount } from '../../support/case-count.ts';
import { formatRange, stylePartial } from '../../support/look-operations.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

/** The styles that a range of the first sheet shows, as texts. */
function shown({ state }: StateDriver, range: Range): string[][] {
  const sheet = state.structure.sheets[0];
  if (!sheet) throw new Error('no sheet');
  const found = readFormats(formatsOf(state, sheet), range);
  const width = range.column1 - range.column0 + 1;
  return Array.from({ length: found.length / width }, (_, row) =>
    Array.from({ length: width }, (__, column) =>
      plainText(state.coding.dictionary.formatKey(found[row * width + column] ?? 0)),
    ),
  );
}

/** Returns the text of a style; Normal over a column or row with a style looks like none. */
function plainText(text: string): string {
  return text === '{"named":"Normal"}' ? '' : text;
}

function styleAt(driver: StateDriver, a1: string): WireStyle {
  const at = parseAddress(a1);
  if (!at) throw new Error(a1);
  const range = { row0: at.row, row1: at.row, column0: at.column, column1: at.column };
  const text = shown(driver, range)[0]?.[0] ?? '';
  return text === '' ? {} : writeStyle(JSON.parse(text) as CellStyle);
}

function oneSheet(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  return driver;
}

const height = 40;
const width = 24;
const lastRow = 1_048_575;
const lastColumn = 16_383;

/** Model of the looks of the cells in a corner of the sheet. */
class LookModel {
  readonly cells: CellStyle[][] = Array.from({ length: height }, () =>
    Array.from({ length: width }, () => plainStyle),
  );

  patch(range: string, patch: StylePatch, replaces: boolean): void {
    for (const area of parseSheetRange(range)?.areas ?? []) {
      this.#each(area, (style) => patchStyle(style, patch, replaces));
    }
  }

  insertRows(before: number, count: number, inherit: 'before' | 'after'): void {
    const like = inherit === 'after' ? before : before - 1;
    const source = this.cells[like] ?? Array.from({ length: width }, () => plainStyle);
    const added = Array.from({ length: count }, () => [...source]);
    this.cells.splice(before, 0, ...added);
    this.cells.length = height;
  }

  insertColumns(before: number, count: number, inherit: 'before' | 'after'): void {
    for (const row of this.cells) {
      const like = row[inherit === 'after' ? before : before - 1] ?? plainStyle;
      row.splice(before, 0, ...Array.from({ length: count }, () => like));
      row.length = width;
    }
  }

  #each({ row0, row1, column0, column1 }: Range, change: (style: CellStyle) => CellStyle): void {
    for (let row = row0; row <= Math.min(row1, height - 1); row++) {
      const cells = this.cells[row] ?? [];
      for (let column = column0; column <= Math.min(column1, width - 1); column++) {
        cells[column] = change(cells[column] ?? plainStyle);
      }
    }
  }
}

type Step =
  | readonly ['format', string, WireStyle, boolean]
  | readonly ['clear', string]
  | readonly ['rows' | 'columns', number, number, 'before' | 'after'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant('format' as const),
      formatRange,
      stylePartial as fc.Arbitrary<WireStyle>,
      fc.boolean(),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('clear' as const), formatRange) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('rows' as const, 'columns' as const),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 2 }),
      fc.constantFrom('before' as const, 'after' as const),
    ),
  },
);

function run(driver: StateDriver, model: LookModel, next: Step): void {
  if (next[0] === 'format') {
    const [, range, style, replace] = next;
    driver.apply('format.set', { range, style, replace });
    model.patch(range, readStyle(style), replace);
  } else if (next[0] === 'clear') {
    driver.apply('range.clear', { range: next[1], what: ['formats'] });
    model.patch(next[1], {}, true);
  } else {
    const [axis, before, count, inherit] = next;
    const kind = axis === 'rows' ? 'rows.insert' : 'cols.insert';
    driver.apply(kind, { sheet: 'One', before: before + 1, count, inherit });
    if (axis === 'rows') model.insertRows(before, count, inherit);
    else model.insertColumns(before, count, inherit);
  }
}

t.test('every cell shows what was set of it, whole rows and columns included', async (t) => {
  const corner = { row0: 0, row1: 13, column0: 0, column1: 7 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
      const driver = oneSheet();
      const model = new LookModel();
      for (const next of steps) run(driver, model, next);
      const expected = model.cells.slice(0, 14).map((row) => row.slice(0, 8).map(styleText));
      const found = shown(driver, corner);
      if (JSON.stringify(found) !== JSON.stringify(expected.map((row) => row.map(plainText)))) {
        throw new Error(`${JSON.stringify(found)}\n${JSON.stringify(expected)}`);
      }
      const { state } = driver.replayed();
      if (drive(state.stateHash()) !== drive(driver.state.stateHash())) throw new Error('replay');
    }),
    { numRuns: caseCount(150) },
  );
  t.pass('for every history that was tried');
});

t.test('the same operation again changes nothing', async (t) => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 6 }),
      formatRange,
      stylePartial,
      (steps, range, style) => {
        const driver = oneSheet();
        const model = new LookModel();
        for (const next of steps) run(driver, model, next);
        driver.apply('format.set', { range, style });
        const hash = drive(driver.state.stateHash());
        const again = driver.apply('format.set', { range, style });
        return again.status === 'noop' && drive(driver.state.stateHash()) === hash;
      },
    ),
    { numRuns: caseCount(150) },
  );
  t.pass('for every history that was tried');
});

t.test('a whole column takes a format without a cell being written', async (t) => {
  const driver = oneSheet();
  driver.apply('format.set', { range: 'B:Z', style: { bold: true, fill: '#ffee00' } });
  t.same([...driver.state.cellsOf(sheetOf(driver)).columnIds()], []);
  const expected = { bold: true, fill: { fg: '#FFEE00', pattern: 'solid' } };
  t.same(styleAt(driver, 'C77'), expected);
  t.same(styleAt(driver, 'Z1048576'), expected);
  t.same(styleAt(driver, 'AA1'), {});
  t.same(
    shown(driver, { row0: lastRow, row1: lastRow, column0: lastColumn, column1: lastColumn }),
    [['']],
  );
});

t.test('a row over a column shows both; clearing leaves neither', async (t) => {
  const driver = oneSheet();
  driver.apply('format.set', { range: 'B:B', style: { color: '#FF0000' } });
  driver.apply('format.set', { range: '3:3', style: { bold: true } });
  t.same(styleAt(driver, 'B3'), { bold: true, color: '#FF0000' });
  t.same(styleAt(driver, 'C3'), { bold: true });
  driver.apply('range.clear', { range: 'B3', what: ['formats'] });
  t.same(styleAt(driver, 'B3'), {});
  t.same(styleAt(driver, 'B4'), { color: '#FF0000' });
  driver.apply('format.set', { range: 'B3', style: { italic: true } });
  t.same(styleAt(driver, 'B3'), { italic: true });
  driver.apply('cells.set', { cells: [{ a1: 'B9', input: 1, fmt: '0.0' }] });
  t.same(styleAt(driver, 'B9'), { color: '#FF0000', numberFormat: '0.0' });
  t.same(
    driver.state.numberFormats(sheetOf(driver), { row0: 8, row1: 8, column0: 0, column1: 1 }),
    [['General', '0.0']],
  );
});

t.test('number formats leave the other properties alone, and the other way round', async (t) => {
  const driver = oneSheet();
  driver.apply('format.set', { range: 'A1:B2', style: { bold: true, numberFormat: '0%' } });
  driver.apply('numfmt.set', { range: 'A1', pattern: '0.00' });
  driver.apply('range.set', { range: 'A2', inputs: [[1]], fmts: [['yyyy']] });
  driver.apply('range.fill', { range: 'B1', input: 5, fmt: 'General' });
  t.same(styleAt(driver, 'A1'), { bold: true, numberFormat: '0.00' });
  t.same(styleAt(driver, 'A2'), { bold: true, numberFormat: 'yyyy' });
  t.same(styleAt(driver, 'B1'), { bold: true });
  driver.apply('format.set', { range: 'A1', style: { bold: null } });
  t.same(styleAt(driver, 'A1'), { numberFormat: '0.00' });
  t.equal(driver.apply('numfmt.set', { range: 'B2', pattern: '0%' }).status, 'noop');
});

t.test('defaults are dropped, but not over a named style', async (t) => {
  const driver = oneSheet();
  const written = {
    bold: false,
    border: { top: { style: 'none' } },
    locked: true,
    align: 'general',
  };
  t.equal(driver.apply('format.set', { range: 'A1', style: written }).status, 'noop');
  driver.apply('style.define', { id: 'Loud', style: { bold: true } });
  driver.apply('format.set', { range: 'A1', style: { named: 'loud', bold: false } });
  t.same(styleAt(driver, 'A1'), { named: 'Loud', bold: false });
  driver.apply('format.set', { range: 'A1', style: { named: null } });
  t.same(styleAt(driver, 'A1'), {});
  const missing = driver.submit('format.set', { range: 'A1', style: { named: 'Quiet' } });
  t.match(missing, { code: 'style_not_found' });
});

t.test('formats follow what others did to rows since the base', async (t) => {
  const driver = oneSheet();
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 3, count: 2 });
  driver.apply('rows.delete', { sheet: 'One', from: 1 });
  const result = driver.apply('format.set', { range: 'A1:A4', style: { bold: true } }, base);
  t.match(result, {
    status: 'rebased',
    payload: { range: 'A1,A4:A5', style: { bold: true } },
    clipped: ['A1'],
  });
  const columns = driver.apply('format.set', { range: 'C:C', style: { italic: true } }, base);
  t.equal(columns.status, 'applied');
});

t.test('strict submissions conflict property by property', async (t) => {
  const driver = oneSheet();
  const base = driver.state.head;
  driver.apply('format.set', { range: 'A1:C3', style: { bold: true, border: { top: null } } });
  const strict = (kind: string, payload: object) =>
    driver.submit(kind, payload, { baseSeq: base, strict: true });
  t.notOk(strict('format.set', { range: 'B2', style: { italic: true } }) instanceof Rejection);
  t.notOk(strict('cells.set', { cells: [{ a1: 'B2', input: 1 }] }) instanceof Rejection);
  const other = { sheet: 'One', from: 2, count: 1 };
  t.notOk(strict('rows.size', { ...other, px: 30 }) instanceof Rejection);
  t.notOk(strict('rows.hide', other) instanceof Rejection);
  t.match(strict('format.set', { range: 'B2', style: { bold: false } }), { code: 'conflict' });
  t.match(strict('range.clear', { range: 'C3', what: ['formats'] }), { code: 'conflict' });
  t.match(strict('rows.size', { ...other, px: 40 }), { code: 'conflict' });
  t.notOk(strict('rows.size', { ...other, from: 3, px: 40 }) instanceof Rejection);
});

t.test('what is too much is refused with a code of its own', async (t) => {
  const driver = oneSheet();
  t.match(driver.submit('format.set', { range: 'A1:Z100000', style: { bold: true } }), {
    code: 'range_too_large',
  });
  t.equal(
    driver.apply('format.set', { range: 'A1:Z100000', style: { bold: null } }).status,
    'noop',
  );
  t.match(driver.submit('format.set', { range: 'A1', style: { numberFormat: '0\n0' } }), {
    code: 'bad_number_format',
  });
  driver.apply('format.set', { range: 'A1:AZ1', style: { bold: true } });
  t.match(driver.submit('rows.insert', { sheet: 'One', after: 1, count: 50_000 }), {
    code: 'range_too_large',
    message: /inherit none/,
  });
  driver.apply('rows.insert', { sheet: 'One', after: 1, count: 50_000, inherit: 'none' });
});

t.test('a workbook has room for 65,535 looks and says so', async (t) => {
  const driver = oneSheet();
  let refused: Rejection | undefined;
  for (let chunk = 0; chunk < 70 && !refused; chunk++) {
    const fmts = Array.from({ length: 1_000 }, (_, row) => [`0"${chunk * 1_000 + row}"`]);
    const inputs = fmts.map(() => [1]);
    const range = `A${chunk * 1_000 + 1}`;
    const result = driver.submit('range.set', { range, inputs, fmts });
    if (result instanceof Rejection) refused = result;
  }
  t.match(refused, { code: 'too_many_styles' });
  const hash = drive(driver.state.stateHash());
  t.match(driver.submit('format.set', { range: 'A1:A60000', style: { bold: true } }), {
    code: 'too_many_styles',
  });
  t.equal(drive(driver.state.stateHash()), hash, 'a refusal changes nothing');
  driver.apply('cells.set', { cells: [{ a1: 'C1', input: 1, fmt: '0"5"' }] });
});

function sheetOf(driver: StateDriver) {
  const [sheet] = driver.state.structure.sheets;
  if (!sheet) throw new Error('no sheet');
  return sheet;
}
