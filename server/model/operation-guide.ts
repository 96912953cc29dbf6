import type { OperationKind } from './operation.ts';

/** One kind of operation as the reference explains it. */
export interface KindGuide {
  /** One sentence: what the kind does. */
  readonly does: string;
  /** A payload that works on a sheet `Plan` with a table `Sales` (key `Item`, columns `Price`, `Count`). */
  readonly example: Readonly<Record<string, unknown>>;
}

/** Kinds that clients submit. The others are written by routes: settings, commits and merges. */
export type SubmittedKind = Exclude<OperationKind, 'policy.set' | 'commit' | 'merge'>;

const plan = { sheet: 'Plan' } as const;
const sales = { table: 'Sales' } as const;

const cells = {
  'cells.set': {
    does: 'Writes single cells. A string that begins with `=` is a formula, `""` clears the cell, and a leading `\'` keeps the rest as text; `parse: true` reads strings as a person types them.',
    example: {
      ...plan,
      cells: [
        { a1: 'B2', input: 3.5 },
        { a1: 'B4', input: '=SUM(B2:B3)' },
      ],
    },
  },
  'range.set': {
    does: 'Writes a block of cells from dense rows. `null` leaves a cell as it is, `""` clears it.',
    example: {
      ...plan,
      range: 'H1:I2',
      inputs: [
        ['Rent', 1200],
        ['Total', '=I1*2'],
      ],
    },
  },
  'range.fill': {
    does: 'Writes one input into every cell of a range. References of a formula are relative to the first cell, as when it is filled down and right.',
    example: { ...plan, range: 'H2:H9', input: '=B2*2' },
  },
  'range.clear': {
    does: 'Clears a range: values and formulas, or what `what` names.',
    example: { ...plan, range: 'A2:B3', what: ['values', 'formats'] },
  },
  'numfmt.set': {
    does: 'Sets the number format of a range, as Excel writes it.',
    example: { ...plan, range: 'B2:B9', pattern: '#,##0.00' },
  },
  'format.set': {
    does: 'Sets properties of how a range looks. Only the named ones change, `null` clears one.',
    example: { ...plan, range: 'A1:C1', style: { bold: true, fill: '#E8F1EC' } },
  },
  'style.define': {
    does: 'Makes a named style, or replaces the one of that name.',
    example: { id: 'Money', style: { numberFormat: '#,##0.00', align: 'right' } },
  },
  'style.delete': {
    does: 'Deletes a named style; its cells look like `Normal` then.',
    example: { id: 'Input' },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const lines = {
  'rows.insert': {
    does: 'Inserts blank rows before or after a row.',
    example: { ...plan, before: 3, count: 2 },
  },
  'rows.delete': {
    does: 'Deletes rows of a sheet; with `table` and `keys` it deletes rows of a table.',
    example: { ...plan, from: 3, count: 2 },
  },
  'rows.move': {
    does: 'Moves rows before another row. Formulas keep what they refer to.',
    example: { ...plan, from: 2, count: 1, before: 5 },
  },
  'rows.size': {
    does: 'Sets the height of rows in pixels; `auto: true` fits it to the content.',
    example: { ...plan, from: 1, count: 1, px: 40 },
  },
  'rows.hide': {
    does: 'Hides rows, or shows them with `hidden: false`.',
    example: { ...plan, from: 4, count: 2 },
  },
  'rows.group': {
    does: 'Puts rows into a level of the outline; `collapsed: true` folds them away.',
    example: { ...plan, from: 2, count: 3, level: 1 },
  },
  'cols.insert': {
    does: 'Inserts blank columns before or after a column.',
    example: { ...plan, after: 'C', count: 1 },
  },
  'cols.delete': {
    does: 'Deletes columns of a sheet.',
    example: { ...plan, from: 'C', count: 1 },
  },
  'cols.move': {
    does: 'Moves columns before another column. Formulas keep what they refer to.',
    example: { ...plan, from: 'C', count: 1, before: 'A' },
  },
  'cols.size': {
    does: 'Sets the width of columns in pixels; `auto: true` fits it to the content.',
    example: { ...plan, from: 'A', count: 2, px: 120 },
  },
  'cols.hide': {
    does: 'Hides columns, or shows them with `hidden: false`.',
    example: { ...plan, from: 'C', hidden: true },
  },
  'cols.group': {
    does: 'Puts columns into a level of the outline; `collapsed: true` folds them away.',
    example: { ...plan, from: 'B', count: 2, level: 1, collapsed: true },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const blocks = {
  'range.autofill': {
    does: 'Continues the cells of a source in one direction, as dragging the fill handle does.',
    example: { ...plan, source: 'A2:A3', target: 'A2:A9', series: { type: 'auto' } },
  },
  'range.move': {
    does: 'Cuts cells and pastes them. References to them follow.',
    example: { ...plan, source: 'A2:B3', to: 'H2' },
  },
  'range.copy': {
    does: 'Copies cells: formulas, constants and formats, or what `paste` names.',
    example: { ...plan, source: 'A1:B3', to: 'H1', paste: ['values'] },
  },
  'range.sort': {
    does: 'Sorts the rows of a block by columns, or puts them into a given order.',
    example: { ...plan, range: 'A1:B3', header: true, keys: [{ col: 'B', desc: true }] },
  },
  'range.insert': {
    does: 'Makes room for cells: what stands there goes right or down.',
    example: { ...plan, range: 'A2:B2', shift: 'down' },
  },
  'range.delete': {
    does: 'Takes cells out: what stands beyond comes from the right or from below.',
    example: { ...plan, range: 'A3:B3', shift: 'up' },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const books = {
  'sheet.add': {
    does: 'Adds a sheet, blank or as a copy of another one. The result has its id.',
    example: { name: 'Notes', index: 1 },
  },
  'sheet.rename': {
    does: 'Renames a sheet. Formulas that name it follow.',
    example: { ...plan, name: 'Budget' },
  },
  'sheet.delete': {
    does: 'Deletes a sheet with all that is on it. What referred to it is `#REF!`.',
    example: { sheet: 'Old' },
  },
  'sheet.move': {
    does: 'Moves a sheet to a place among the sheets, from 0.',
    example: { ...plan, index: 1 },
  },
  'sheet.props': {
    does: 'Sets properties of a sheet: tab colour, frozen rows and columns, gridlines, zoom. `null` sets one back.',
    example: { ...plan, freezeRows: 1, tabColor: '#0B6E4F' },
  },
  'name.set': {
    does: 'Defines a name for a range or a formula.',
    example: { name: 'Rate', ref: 'Plan!B2' },
  },
  'name.rename': {
    does: 'Renames a defined name. Formulas that mean it follow.',
    example: { from: 'Tax', to: 'TaxRate' },
  },
  'name.delete': {
    does: 'Deletes a defined name. Formulas that use it are `#NAME?`.',
    example: { name: 'Tax' },
  },
  'settings.set': {
    does: 'Changes one setting of the workbook, such as `dateSystem` or `iteration.enabled`.',
    example: { path: 'iteration.enabled', value: true },
  },
  'props.set': {
    does: 'Sets the title, the description and the labels of the workbook.',
    example: { title: 'Budget 2026', labels: ['finance', 'draft'] },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const tables = {
  'table.create': {
    does: 'Makes a table of cells that are there, or on a sheet of its own. The result has its id.',
    example: {
      name: 'Stock',
      keyColumn: 'Sku',
      schema: {
        columns: [
          { name: 'Sku', type: 'text' },
          { name: 'Left', type: 'integer' },
        ],
      },
    },
  },
  'table.drop': {
    does: 'Forgets a table. Its own sheet goes with it; other cells stay unless `keepCells` is false.',
    example: { ...sales },
  },
  'table.rename': {
    does: 'Renames a table. Formulas that name it follow.',
    example: { ...sales, name: 'Orders' },
  },
  'table.column.add': {
    does: 'Adds a column to a table, with its default or its formula in every row.',
    example: { ...sales, column: 'Total', formula: '[@Price]*[@Count]' },
  },
  'table.column.drop': {
    does: 'Drops a column of a table; the key column stays.',
    example: { ...sales, column: 'Count' },
  },
  'table.column.rename': {
    does: 'Renames a column of a table. Formulas that name it follow.',
    example: { ...sales, column: 'Count', name: 'Quantity' },
  },
  'table.column.alter': {
    does: 'Changes type, default, allowed values or formula of a column. `null` takes one away.',
    example: { ...sales, column: 'Price', type: 'number', nullable: false },
  },
  'table.column.move': {
    does: 'Moves a column of a table before or after another one.',
    example: { ...sales, column: 'Count', before: 'Price' },
  },
  'table.key.change': {
    does: 'Makes another column the key. Its values must be there and differ.',
    example: { ...sales, keyColumn: 'Price' },
  },
  'rows.upsert': {
    does: 'Writes rows of a table by key: known keys are updated, others are added below.',
    example: {
      ...sales,
      rows: [
        { Item: 'Tea', Price: 2.75 },
        { Item: 'Salt', Price: 1 },
      ],
    },
  },
  'rows.import': {
    does: 'Makes the rows of a table these: keys that are left out go, known ones keep their identity.',
    example: {
      ...sales,
      columns: ['Item', 'Price'],
      rows: [
        ['Tea', 2.5],
        ['Salt', 1],
      ],
    },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const records = {
  'cellmerge.add': {
    does: 'Merges cells. Covered cells keep what they hold.',
    example: { ...plan, range: 'H1:I1' },
  },
  'cellmerge.remove': {
    does: 'Takes merged cells apart, all that the range touches.',
    example: { ...plan, range: 'K1:L1' },
  },
  'note.set': {
    does: 'Puts a note on a cell, or replaces it.',
    example: { ...plan, a1: 'B2', text: 'Price of the last order' },
  },
  'note.delete': { does: 'Deletes the note of a cell.', example: { ...plan, a1: 'A2' } },
  'comment.add': {
    does: 'Begins a thread of comments on a cell or a range. The result has its id.',
    example: { ...plan, a1: 'B3', text: 'Is this the net price?' },
  },
  'comment.reply': {
    does: 'Adds a comment to a thread.',
    example: { thread: 'question', text: 'It is.' },
  },
  'comment.edit': {
    does: 'Changes the text of a comment.',
    example: { thread: 'question', comment: 'first', text: 'Is this net?' },
  },
  'comment.resolve': {
    does: 'Marks a thread as resolved, or opens it again.',
    example: { thread: 'question', resolved: true },
  },
  'comment.delete': {
    does: 'Deletes a comment, or the whole thread without `comment`.',
    example: { thread: 'question' },
  },
  'validation.set': {
    does: 'Sets a rule for what may be written into cells. Writes that break it are rejected unless `onInvalid` says otherwise.',
    example: {
      ...plan,
      ranges: ['H2:H9'],
      rule: { type: 'whole', operator: 'between', formula1: 0, formula2: 100 },
    },
  },
  'validation.delete': { does: 'Deletes a rule of validation.', example: { id: 'percent' } },
  'cf.set': {
    does: 'Sets a conditional format: a rule, and the look of the cells that meet it.',
    example: {
      ...plan,
      ranges: ['B2:B9'],
      rule: { type: 'cellIs', operator: 'lessThan', formula1: 0 },
      style: { color: '#A4262C' },
    },
  },
  'cf.delete': { does: 'Deletes a conditional format.', example: { id: 'negative' } },
  'cf.move': {
    does: 'Moves a conditional format in the order of its sheet: 1 is the strongest.',
    example: { id: 'negative', priority: 1 },
  },
  'filter.set': {
    does: 'Sets the filter of a sheet; a sheet has one. Clients hide the rows that it leaves out.',
    example: { ...plan, range: 'A1:B3', criteria: [{ column: 'A', values: ['Tea'] }] },
  },
  'filter.clear': { does: 'Takes the filter of a sheet away.', example: { sheet: 'Old' } },
  'protect.set': {
    does: 'Protects ranges, or a whole sheet, from all who are not named.',
    example: { ...plan, ranges: ['B2:B3'], who: [], name: 'Prices' },
  },
  'protect.delete': { does: 'Lifts a protection.', example: { id: 'locked' } },
  'hyperlink.set': {
    does: 'Links cells to an address, or to a place in the workbook; `null` takes the link away.',
    example: { ...plan, a1: 'A2', url: 'https://example.com/tea' },
  },
  'image.set': {
    does: 'Places an image. What `spec` says of it is kept as it is sent.',
    example: { ...plan, anchor: 'H2:J9', spec: { url: 'https://example.com/logo.png' } },
  },
  'image.delete': { does: 'Deletes an image.', example: { id: 'logo' } },
  'chart.set': {
    does: 'Places a chart. What `spec` says of it is kept as it is sent.',
    example: { ...plan, anchor: 'H2:N20', spec: { type: 'bar', data: 'Plan!A1:B3' } },
  },
  'chart.delete': { does: 'Deletes a chart.', example: { id: 'prices' } },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

const taking = {
  undo: {
    does: 'Takes an operation back by its sequence, all operations of a group of yours, or by {last: true} what you did last. What others changed since stays.',
    example: { of: 2 },
  },
  redo: {
    does: 'Takes an undo, a redo or a revert back, by {last: true} your last undo.',
    example: { of: 3 },
  },
  revert: {
    does: 'Takes all operations of a stretch of the branch back, as one whole.',
    example: { of: { from: 2, through: 2 } },
  },
} as const satisfies Partial<Record<SubmittedKind, KindGuide>>;

/** Explains every kind that clients submit, for the reference, /docs and llms.txt. */
export const operationGuide: Readonly<Record<SubmittedKind, KindGuide>> = {
  ...cells,
  ...lines,
  ...blocks,
  ...books,
  ...tables,
  ...records,
  ...taking,
};

/** The kinds by what they are about, in the order in which they are shown. */
export const kindFamilies: readonly {
  readonly name: string;
  readonly kinds: readonly SubmittedKind[];
}[] = [
  { name: 'Cells and looks', kinds: kindsOf(cells) },
  { name: 'Rows and columns', kinds: kindsOf(lines) },
  { name: 'Blocks of cells', kinds: kindsOf(blocks) },
  { name: 'Sheets, names and settings', kinds: kindsOf(books) },
  { name: 'Tables', kinds: kindsOf(tables) },
  { name: 'Records on cells', kinds: kindsOf(records) },
  { name: 'Taking back', kinds: kindsOf(taking) },
];

function kindsOf(guide: Partial<Record<SubmittedKind, KindGuide>>): SubmittedKind[] {
  return Object.keys(guide) as SubmittedKind[];
}

/** `CellsSet` of `cells.set`: the name of the kind's schemas in /openapi.json. */
export function schemaNameOf(kind: OperationKind): string {
  const words = kind.split('.').map((word) => (word[0] ?? '').toUpperCase() + word.slice(1));
  return words.join('');
}
