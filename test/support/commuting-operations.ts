import * as fc from 'fast-check';

// Operations on cells, lines, sheets and names for the table of commutation, each with the
// registers that it writes, which the table derives without the service.

export interface Drawn {
  readonly kind: string;
  readonly payload: object;
  /** Values that the operation puts into registers. */
  readonly writes: Readonly<Record<string, string>>;
  /** Registers and gaps on which the result depends; others who write them make the order count. */
  readonly reads?: readonly string[];
  /** Registers whose deletion before the operation leads to another result than one after it. */
  readonly splits?: readonly string[];
  /** Lines or sheet that it deletes. */
  readonly kills?: Killed;
}

export interface Killed {
  readonly sheet: string;
  /** Positions from 1 of rows or columns; the whole sheet when left out. */
  readonly lines?: { readonly axis: Axis; readonly from: number; readonly count: number };
}

export type Axis = 'row' | 'column';
type Corners = readonly [column0: number, row0: number, column1: number, row1: number];

export const rowsSeen = 14;
export const columnsSeen = 9;

export const sheet = fc.constantFrom('One', 'Two');
const row = fc.integer({ min: 1, max: 8 });
const column = fc.integer({ min: 1, max: 5 });
const count = fc.integer({ min: 1, max: 2 });
const nothing = 'null';

export function letter(position: number): string {
  return String.fromCharCode(64 + position);
}

export function cellsOf(on: string, [column0, row0, column1, row1]: Corners): string[] {
  const cells: string[] = [];
  for (let y = row0; y <= row1; y++) {
    for (let x = column0; x <= column1; x++) cells.push(`${on}!${letter(x)}${y}`);
  }
  return cells;
}

export const corners: fc.Arbitrary<Corners> = fc
  .tuple(column, row, fc.nat(2), fc.nat(2))
  .map(([x, y, width, height]) => [x, y, x + width, y + height]);

export function rangeText([column0, row0, column1, row1]: Corners): string {
  return `${letter(column0)}${row0}:${letter(column1)}${row1}`;
}

export function writing(registers: readonly string[], value: unknown): Record<string, string> {
  const text = JSON.stringify(value);
  return Object.fromEntries(registers.map((register) => [register, text]));
}

const constant = fc.constantFrom<unknown>(1, 2, 'x', true, '');
const input = fc.oneof(constant, fc.constantFrom('=A1', '=SUM(A2:B6)', '=Two!A3', '=tax+1'));

/**
 * Returns marks for cells below a formula. A sort leaves the texts of formulas elsewhere alone, so
 * the result shows whether the formula was there before it.
 */
function sortedBelow(on: string, value: unknown): string[] {
  const rows = { '=A1': [1], '=SUM(A2:B6)': [2, 3, 4, 5, 6], '=Two!A3': [3], '=tax+1': [] };
  if (typeof value !== 'string' || !isKeyOf(value, rows)) return [];
  const sheetName = value === '=Two!A3' ? 'Two' : on;
  return rows[value].map((at) => `sort ${sheetName}!${at}`);
}

function isKeyOf<Known extends object>(key: string, known: Known): key is keyof Known & string {
  return Object.hasOwn(known, key);
}

function held(value: unknown): unknown {
  return value === '' ? null : value;
}

export const values: fc.Arbitrary<Drawn> = fc.oneof(
  fc
    .tuple(sheet, fc.array(fc.tuple(column, row, input), { minLength: 1, maxLength: 3 }))
    .map(([on, written]) => ({
      kind: 'cells.set',
      payload: {
        sheet: on,
        cells: written.map(([x, y, value]) => ({ a1: `${letter(x)}${y}`, input: value })),
      },
      writes: Object.fromEntries(
        written.map(([x, y, v]) => [`V ${on}!${letter(x)}${y}`, JSON.stringify(held(v))]),
      ),
      reads: written.flatMap(([, , value]) => sortedBelow(on, value)),
    })),
  fc.tuple(sheet, corners, constant).map(([on, area, value]) => ({
    kind: 'range.fill',
    payload: { sheet: on, range: rangeText(area), input: value },
    writes: writing(valuesIn(on, area), held(value)),
  })),
  fc.tuple(sheet, corners).map(([on, area]) => ({
    kind: 'range.clear',
    payload: { sheet: on, range: rangeText(area), what: ['values'] },
    writes: writing(valuesIn(on, area), null),
  })),
  fc.tuple(sheet, column, row, constant, constant).map(([on, x, y, first, second]) => ({
    kind: 'range.set',
    payload: { sheet: on, range: rangeText([x, y, x, y + 1]), inputs: [[first], [second]] },
    writes: {
      ...writing([`V ${on}!${letter(x)}${y}`], held(first)),
      ...writing([`V ${on}!${letter(x)}${y + 1}`], held(second)),
    },
  })),
);

function valuesIn(on: string, area: Corners): string[] {
  return cellsOf(on, area).map((cell) => `V ${cell}`);
}

const patch = fc.constantFrom<readonly [property: string, style: object]>(
  ['bold', { bold: true }],
  ['bold', { bold: null }],
  ['italic', { italic: true }],
  ['fill', { fill: '#FF0000' }],
  ['fill', { fill: null }],
  ['top', { border: { top: { style: 'thin' } } }],
  ['numberFormat', { numberFormat: '0.00' }],
);

const formatted = fc.oneof(
  fc.tuple(corners).map(([area]) => ({ text: rangeText(area), area })),
  fc.tuple(column).map(([x]) => {
    const area: Corners = [x, 1, x, rowsSeen];
    return { text: `${letter(x)}:${letter(x)}`, area };
  }),
  fc.tuple(row).map(([y]) => {
    const area: Corners = [1, y, columnsSeen, y];
    return { text: `${y}:${y}`, area };
  }),
);

export const formats: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(sheet, formatted, patch).map(([on, { text, area }, [property, style]]) => ({
    kind: 'format.set',
    payload: { sheet: on, range: text, style },
    writes: writing(
      cellsOf(on, area).map((cell) => `F ${cell} ${property}`),
      style,
    ),
  })),
  fc.tuple(sheet, formatted).map(([on, { text, area }]) => ({
    kind: 'numfmt.set',
    payload: { sheet: on, range: text, pattern: '0%' },
    writes: writing(
      cellsOf(on, area).map((cell) => `F ${cell} numberFormat`),
      '0%',
    ),
  })),
);

const lineChange = fc.constantFrom<readonly [kind: string, change: object, keys: string[]]>(
  ['size', { px: 20 }, ['size']],
  ['size', { px: 30 }, ['size']],
  ['size', { auto: true }, ['size']],
  ['hide', { hidden: true }, ['hidden']],
  ['hide', { hidden: false }, ['hidden', 'collapsed']],
  ['group', { level: 1 }, ['level']],
  ['group', { level: 2 }, ['level']],
);

const looksOfLines = fc
  .tuple(sheet, fc.constantFrom<Axis>('row', 'column'), column, count, lineChange)
  .map(([on, axis, from, n, [what, change, keys]]): Drawn => {
    const lines = Array.from({ length: n }, (_, index) => linePlace(on, axis, from + index));
    const registers = lines.flatMap((line) => keys.map((key) => `D ${line} ${key}`));
    return {
      kind: `${axis === 'row' ? 'rows' : 'cols'}.${what}`,
      payload: { sheet: on, from, count: n, ...change },
      writes: writing(registers, change),
    };
  });

function linePlace(on: string, axis: Axis, position: number): string {
  return `${on}!${axis === 'row' ? position : letter(position)}`;
}

const looksOfBook = fc
  .tuple(
    sheet,
    fc.constantFrom(
      { zoom: 50 },
      { zoom: 60 },
      { rtl: true },
      { freezeRows: 2 },
      { tabColor: '#00FF00' },
      { gridlines: false },
    ),
  )
  .map(([on, change]): Drawn => {
    const payload = { sheet: on, ...change };
    const [key = ''] = Object.keys(change);
    return { kind: 'sheet.props', payload, writes: writing([`D ${on} ${key}`], change) };
  });

const namedStyles = fc
  .tuple(fc.constantFrom('Good', 'Bad'), fc.constantFrom({ bold: true }, { size: 20 }, undefined))
  .map(([id, style]): Drawn => {
    const payload = style === undefined ? { id } : { id, style };
    const kind = style === undefined ? 'style.delete' : 'style.define';
    return { kind, payload, writes: writing([`D style ${id}`], style ?? null) };
  });

export const properties = fc.oneof(
  { weight: 4, arbitrary: looksOfLines },
  { weight: 2, arbitrary: looksOfBook },
  { weight: 1, arbitrary: namedStyles },
);

/** Inserts without inherited formats, which the other operation may write. */
export const orders: fc.Arbitrary<Drawn> = fc.oneof(
  fc
    .tuple(sheet, fc.constantFrom<Axis>('row', 'column'), column, count)
    .map(([on, axis, at, n]) => ({
      kind: axis === 'row' ? 'rows.insert' : 'cols.insert',
      payload: { sheet: on, before: at, count: n, inherit: 'none' },
      writes: {},
      ...gapBefore(on, axis, at),
    })),
  fc
    .tuple(sheet, fc.constantFrom<Axis>('row', 'column'), column, count, row)
    .map(([on, axis, from, n, before]) => ({
      kind: axis === 'row' ? 'rows.move' : 'cols.move',
      payload: { sheet: on, from, count: n, before },
      writes: writing(moved({ on, axis, from, n }), before),
      ...gapBefore(on, axis, before),
    })),
  fc.tuple(sheet, row, count).map(([on, first, n]) => ({
    kind: 'range.sort',
    payload: {
      sheet: on,
      range: `${first}:${first + n}`,
      order: Array.from({ length: n + 1 }, (_, index) => first + n - index),
    },
    writes: writing(
      [
        ...moved({ on, axis: 'row', from: first, n: n + 1 }),
        ...Array.from({ length: n + 1 }, (_, index) => `sort ${on}!${first + index}`),
      ],
      [first, n],
    ),
    splits: moved({ on, axis: 'row', from: first, n: n + 1 }),
    reads: Array.from({ length: n }, (_, index) => `gap ${on}!${first + 1 + index}`),
  })),
);

/**
 * Returns the gap before a line, and its two neighbours as splits: whether new lines there belong
 * to an area shows only when a neighbour is deleted.
 */
function gapBefore(on: string, axis: Axis, at: number) {
  const place = linePlace(on, axis, at);
  const neighbours = [`O ${place}`, `O ${linePlace(on, axis, at - 1)}`];
  return { reads: [`gap ${place}`, ...neighbours], splits: neighbours };
}

function moved(span: { on: string; axis: Axis; from: number; n: number }): string[] {
  const { on, axis, from, n } = span;
  return Array.from({ length: n }, (_, index) => `O ${linePlace(on, axis, from + index)}`);
}

export const lineDeletes: fc.Arbitrary<Drawn> = fc
  .tuple(sheet, fc.constantFrom<Axis>('row', 'row', 'column'), column, count)
  .map(([on, axis, from, n]) => ({
    kind: axis === 'row' ? 'rows.delete' : 'cols.delete',
    payload: { sheet: on, from, count: n },
    writes: {},
    kills: { sheet: on, lines: { axis, from, count: n } },
  }));

export const sheetDeletes: fc.Arbitrary<Drawn> = sheet.map((on) => ({
  kind: 'sheet.delete',
  payload: { sheet: on },
  writes: {},
  kills: { sheet: on },
}));

const sheetName = fc.constantFrom('Plan', 'Budget', 'tax');
const name = fc.constantFrom('tax', 'rate', 'Plan');
const reference = fc.constantFrom('One!A1', 'One!B2:C4', 'Two!A1');
const sortedReferences = {
  'One!A1': ['sort One!1'],
  'One!B2:C4': ['sort One!2', 'sort One!3', 'sort One!4'],
  'Two!A1': ['sort Two!1'],
};

export const names: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(sheet, sheetName).map(([on, to]) => ({
    kind: 'sheet.rename',
    payload: { sheet: on, name: to },
    writes: { [`Nm ${on}!`]: to, [`Nm sheets ${to}`]: on },
  })),
  fc.tuple(sheetName).map(([to]) => ({
    kind: 'sheet.add',
    payload: { name: to },
    writes: { [`Nm sheets ${to}`]: 'new' },
    reads: ['gap sheets'],
  })),
  fc.tuple(name, reference).map(([text, ref]) => ({
    kind: 'name.set',
    payload: { name: text, ref },
    writes: { [`Nm name ${text}`]: ref },
    reads: sortedReferences[ref],
    splits: [`at ${ref}`],
  })),
  fc.constantFrom('tax', 'rate').map((text) => ({
    kind: 'name.delete',
    payload: { name: text },
    writes: { [`Nm name ${text}`]: nothing },
  })),
  fc
    .constantFrom(['tax', 'Levy'], ['rate', 'Levy'], ['tax', 'Plan'])
    .map(([from = '', to = '']) => ({
      kind: 'name.rename',
      payload: { from, to },
      writes: { [`Nm name ${from}`]: to, [`Nm name ${to}`]: from },
    })),
);

export const settings: fc.Arbitrary<Drawn> = fc.oneof(
  fc
    .constantFrom<readonly [string, unknown]>(
      ['title', 'T'],
      ['title', null],
      ['calcMode', 'manual'],
      ['iteration.maxCount', 5],
      ['iteration.maxCount', 6],
      ['locale', 'de-AT'],
    )
    .map(([path, value]) => ({
      kind: 'settings.set',
      payload: { path, value },
      writes: writing([`W ${path}`], value),
    })),
  fc.constantFrom(['a'], ['b', 'c']).map((labels) => ({
    kind: 'props.set',
    payload: { labels },
    writes: writing(['W labels'], labels),
  })),
);
