import * as fc from 'fast-check';

// Operations on formats, rows, columns and sheets, for tests that make histories of them.

const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const cell = fc.tuple(column, row).map(([c, r]) => `${c}${r}`);
const sheet = fc.constantFrom('One', 'Two', 'Three');
const count = fc.integer({ min: 1, max: 3 });

export const color = fc.oneof(
  fc.constantFrom('#FF0000', '#00ff00', '#123ABC'),
  fc.record({ theme: fc.nat(11) }),
  fc.record({ theme: fc.nat(11), tint: fc.constantFrom(-0.25, 0.4, 0.79998168889431442) }),
);

function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { nil: null, freq: 4 });
}

const borderLine = fc.record(
  { style: fc.constantFrom('thin', 'double', 'none'), color },
  { requiredKeys: ['style'] },
);

const styleMembers = {
  numberFormat: maybe(fc.constantFrom('0.00', 'yyyy-mm-dd', 'General', '')),
  bold: maybe(fc.boolean()),
  italic: maybe(fc.boolean()),
  underline: maybe(fc.constantFrom(true, false, 'double', 'singleAccounting')),
  strike: maybe(fc.boolean()),
  script: maybe(fc.constantFrom('super', 'sub', 'none')),
  font: maybe(fc.constantFrom('Arial', 'Courier New')),
  size: maybe(fc.constantFrom(8, 10.5, 72)),
  color: maybe(color),
  fill: maybe(fc.oneof(color, fc.record({ pattern: fc.constantFrom('darkGrid'), fg: color }))),
  align: maybe(fc.constantFrom('left', 'center', 'general')),
  valign: maybe(fc.constantFrom('top', 'bottom')),
  wrap: maybe(fc.boolean()),
  shrink: maybe(fc.boolean()),
  rotation: maybe(fc.constantFrom(0, 45, -90, 'vertical')),
  indent: maybe(fc.nat(3)),
  border: maybe(
    fc.record(
      {
        top: maybe(borderLine),
        left: maybe(borderLine),
        bottom: maybe(borderLine),
        diagonalUp: maybe(borderLine),
      },
      { requiredKeys: [] },
    ),
  ),
  locked: maybe(fc.boolean()),
  hidden: maybe(fc.boolean()),
};

/** Payload part of format.set: any of the properties, null among them. */
export const stylePartial = fc.record(styleMembers, { requiredKeys: [] });

/** Areas as they come: single cells, rectangles, whole rows and columns, the whole sheet. */
export const formatRange = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`) },
  { weight: 2, arbitrary: fc.tuple(column, column).map(([a, b]) => `${a}:${b}`) },
  { weight: 2, arbitrary: fc.tuple(row, row).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.constant('A:XFD') },
  { weight: 1, arbitrary: fc.tuple(cell, row).map(([a, r]) => `${a},${r}:${r}`) },
);

export const formatOperation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(sheet, formatRange, stylePartial, fc.boolean())
      .map(([s, range, style, replace]) => ({
        kind: 'format.set',
        payload: { sheet: s, range, style, ...(replace && { replace }) },
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, formatRange)
      .map(([s, range]) => ({ kind: 'numfmt.set', payload: { sheet: s, range, pattern: '0%' } })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(sheet, formatRange).map(([s, range]) => ({
      kind: 'range.clear',
      payload: { sheet: s, range, what: ['formats'] },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(sheet, cell).map(([s, a1]) => ({
      kind: 'cells.set',
      payload: {
        sheet: s,
        cells: [
          { a1, input: 5, fmt: '0.0' },
          { a1: 'A2', fmt: '#' },
        ],
      },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(sheet, cell, cell).map(([s, a, b]) => ({
      kind: 'range.fill',
      payload: { sheet: s, range: `${a}:${b}`, input: 1, fmt: '0.000' },
    })),
  },
);

const inherit = fc.constantFrom('before' as const, 'after' as const, 'none' as const);

export const structureOperation = fc.oneof(
  fc.tuple(sheet, row, count, inherit).map(([s, before, n, i]) => ({
    kind: 'rows.insert',
    payload: { sheet: s, before, count: n, inherit: i },
  })),
  fc.tuple(sheet, column, count, inherit).map(([s, after, n, i]) => ({
    kind: 'cols.insert',
    payload: { sheet: s, after, count: n, inherit: i },
  })),
  fc
    .tuple(sheet, row, count)
    .map(([s, from, n]) => ({ kind: 'rows.delete', payload: { sheet: s, from, count: n } })),
  fc
    .tuple(sheet, column)
    .map(([s, from]) => ({ kind: 'cols.delete', payload: { sheet: s, from } })),
  fc.tuple(sheet, row, count, row).map(([s, from, n, before]) => ({
    kind: 'rows.move',
    payload: { sheet: s, from, count: n, before },
  })),
);

const line = {
  rows: fc.record({ from: row, count }),
  cols: fc.record({ from: column, count }),
};

function lineOperation(axis: 'rows' | 'cols') {
  const spans = line[axis];
  return fc.oneof(
    fc
      .tuple(sheet, spans, fc.constantFrom({ px: 20 }, { px: 17.6 }, { auto: true }))
      .map(([s, at, size]) => ({ kind: `${axis}.size`, payload: { sheet: s, ...at, ...size } })),
    fc
      .tuple(sheet, spans, fc.boolean())
      .map(([s, at, hidden]) => ({ kind: `${axis}.hide`, payload: { sheet: s, ...at, hidden } })),
    fc.tuple(sheet, spans, fc.nat(2), fc.option(fc.boolean())).map(([s, at, level, collapsed]) => ({
      kind: `${axis}.group`,
      payload: { sheet: s, ...at, level, ...(collapsed !== null && { collapsed }) },
    })),
  );
}

const sheetProperties = fc.record(
  {
    tabColor: maybe(color),
    hidden: maybe(fc.constantFrom(true, false, 'veryHidden' as const)),
    freezeRows: maybe(fc.nat(3)),
    gridlines: maybe(fc.boolean()),
    zoom: maybe(fc.constantFrom(50, 100)),
  },
  { requiredKeys: [] },
);

const styleId = fc.constantFrom('Good', 'good', 'Heading 1', 'Normal');

export const propertyOperation = fc.oneof(
  { weight: 3, arbitrary: lineOperation('rows') },
  { weight: 3, arbitrary: lineOperation('cols') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(sheet, sheetProperties)
      .map(([s, properties]) => ({ kind: 'sheet.props', payload: { sheet: s, ...properties } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(styleId, stylePartial)
      .map(([id, style]) => ({ kind: 'style.define', payload: { id, style } })),
  },
  { weight: 1, arbitrary: styleId.map((id) => ({ kind: 'style.delete', payload: { id } })) },
  {
    weight: 1,
    arbitrary: fc.tuple(sheet, cell, styleId).map(([s, range, named]) => ({
      kind: 'format.set',
      payload: { sheet: s, range, style: { named, bold: false } },
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, sheet)
      .map(([name, copyOf]) => ({ kind: 'sheet.add', payload: { name, copyOf } })),
  },
  { weight: 1, arbitrary: sheet.map((s) => ({ kind: 'sheet.delete', payload: { sheet: s } })) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
      .map((labels) => ({ kind: 'props.set', payload: { labels, title: labels.join() || null } })),
  },
);
