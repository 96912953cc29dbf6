import * as fc from 'fast-check';

import {
  cellsOf,
  corners,
  letter,
  rangeText,
  sheet,
  writing,
  type Axis,
  type Drawn,
  type Killed,
} from './commuting-operations.ts';

// Operations on records and tables for the table of commutation.

const row = fc.integer({ min: 1, max: 8 });
const column = fc.integer({ min: 1, max: 5 });
const text = fc.constantFrom('mine', 'yours');

/** The existing comment thread, with one comment. */
export const talk = { thread: 'th', comment: 'c1', at: 'One!C3' };
const first = { thread: talk.thread, comment: talk.comment };

const notes: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(sheet, column, row, text).map(([on, x, y, said]) => ({
    kind: 'note.set',
    payload: { sheet: on, a1: `${letter(x)}${y}`, text: said },
    writes: { [`N ${on}!${letter(x)}${y}`]: said },
  })),
  fc.constant({
    kind: 'note.delete',
    payload: { sheet: 'One', a1: 'B2' },
    writes: { 'N One!B2': 'null' },
  }),
  fc.tuple(sheet, column, row, fc.constantFrom('One!A1', 'Two!B2')).map(([on, x, y, location]) => ({
    kind: 'hyperlink.set',
    payload: { sheet: on, a1: `${letter(x)}${y}`, location },
    writes: { [`L ${on}!${letter(x)}${y}`]: location },
  })),
);

const talks: fc.Arbitrary<Drawn> = fc.oneof(
  text.map((said) => ({
    kind: 'comment.reply',
    payload: { thread: talk.thread, text: said },
    writes: {},
    reads: [`T ${talk.at} said`],
  })),
  text.map((said) => ({
    kind: 'comment.edit',
    payload: { ...first, text: said },
    writes: { [`T ${talk.at} c1`]: said },
  })),
  fc.boolean().map((resolved) => ({
    kind: 'comment.resolve',
    payload: { thread: talk.thread, resolved },
    writes: { [`T ${talk.at} resolved`]: String(resolved) },
  })),
  fc.tuple(sheet, column, row).map(([on, x, y]) => ({
    kind: 'comment.add',
    payload: { sheet: on, a1: `${letter(x)}${y}`, text: 'new' },
    writes: {},
    reads: [`T new ${on}!${letter(x)}${y}`],
    splits: [`T new ${on}!${letter(x)}${y}`],
  })),
);

export const annotations = fc.oneof(notes, talks);

export const merges: fc.Arbitrary<Drawn> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(sheet, corners).map(([on, area]) => ({
      kind: 'cellmerge.add',
      payload: { sheet: on, range: rangeText(area) },
      writes: writing(
        cellsOf(on, area).map((cell) => `M ${cell}`),
        area,
      ),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant({
      kind: 'cellmerge.remove',
      payload: { sheet: 'One', range: 'D5:E6' },
      writes: writing(
        cellsOf('One', [4, 5, 5, 6]).map((cell) => `M ${cell}`),
        null,
      ),
    }),
  },
);

const ruleId = fc.constantFrom('1', '2', '3');
const formula = fc.constantFrom('=B2>$D$1', '=SUM($A$2:B3)>C$4');

/** Marks the area of a rule: an existing rule stays in place when its new area is deleted. */
function ruled(register: string, payload: object, ...[on, area]: Parameters<typeof cellsOf>) {
  return {
    writes: writing([register], payload),
    splits: cellsOf(on, area).map((at) => `at ${at}`),
  };
}

export const rules: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(ruleId, sheet, corners).map(([id, on, area]) => {
    const rule = { type: 'list', items: ['a'] };
    const payload = {
      id: `dv${id}`,
      sheet: on,
      ranges: [rangeText(area)],
      rule,
      onInvalid: 'warn',
    };
    return { kind: 'validation.set', payload, ...ruled(`DV ${id}`, payload, on, area) };
  }),
  fc.tuple(ruleId, sheet, corners, formula).map(([id, on, area, formula1]) => {
    const rule = { type: 'expression', formula1 };
    const payload = { id: `cf${id}`, sheet: on, ranges: [rangeText(area)], rule };
    const reads = ['gap rules'];
    return { kind: 'cf.set', payload, ...ruled(`CF ${id}`, payload, on, area), reads };
  }),
  fc.tuple(ruleId, sheet, corners).map(([id, on, area]) => {
    const payload = { id: `p${id}`, sheet: on, ranges: [rangeText(area)], who: ['*'] };
    return { kind: 'protect.set', payload, ...ruled(`P ${id}`, payload, on, area) };
  }),
  fc.constantFrom('1', '2').map((id) => ({
    kind: 'cf.delete',
    payload: { id: `cf${id}` },
    writes: { [`CF ${id}`]: 'null' },
    reads: ['gap rules'],
  })),
  fc.constant({ kind: 'validation.delete', payload: { id: 'dv1' }, writes: { 'DV 1': 'null' } }),
  fc.constant({ kind: 'protect.delete', payload: { id: 'p1' }, writes: { 'P 1': 'null' } }),
  fc.tuple(sheet, fc.constantFrom('A1:C5', 'A1:D8')).map(([on, range]) => ({
    kind: 'filter.set',
    payload: { sheet: on, range },
    writes: { [`D ${on} filter`]: range },
  })),
);

/** The table at Two!A1:C5, with its header and the keys 1 to 4. */
export const book = {
  table: 'Sales',
  columns: ['k', 'v', 'w'],
  keys: [1, 2, 3, 4],
};

const known = fc.constantFrom(...book.keys);
const data = fc.constantFrom('v', 'w');
const value = fc.constantFrom(1, 2, 'x');

function fieldRegisters(key: number, name: string): string[] {
  const at = book.columns.indexOf(name) + 1;
  const isKnown = book.keys.includes(key);
  return [`R ${key} ${name}`, ...(isKnown ? [`V Two!${letter(at)}${key + 1}`] : [])];
}

/** Place of a new row; two new rows make the order count. */
const below = cellsOf('Two', [1, 6, 3, 8]).flatMap((cell) => [`V ${cell}`, `M ${cell}`]);
/** Keys that identify rows, and lines that hold the table together. */
const rowKeys = cellsOf('Two', [1, 1, 1, 5]).map((cell) => `V ${cell}`);
const lines = ['A', 'B', 'C', '1', '2', '3', '4', '5', '6'].map((line) => `O Two!${line}`);

function line(axis: Axis, from: number): Killed {
  return { sheet: 'Two', lines: { axis, from, count: 1 } };
}

export const tableRows: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(known, data, value).map(([key, name, held]) => ({
    kind: 'rows.upsert',
    payload: { table: book.table, rows: [{ k: key, [name]: held }] },
    writes: writing(fieldRegisters(key, name), held),
    reads: [...rowKeys, ...lines],
    // A deleted row is made again.
    splits: [`V Two!A${key + 1}`],
  })),
  fc.tuple(fc.constantFrom(7, 8), data, value).map(([key, name, held]) => ({
    kind: 'rows.upsert',
    payload: { table: book.table, rows: [{ k: key, [name]: held }] },
    writes: writing([`R ${key} k`, ...fieldRegisters(key, name)], held),
    // Without its key column, a row is identified by the rest.
    splits: rowKeys,
    reads: [...below, ...rowKeys, ...lines],
  })),
  fc.tuple(known).map(([key]) => ({
    kind: 'rows.delete',
    payload: { table: book.table, keys: [key] },
    writes: writing(
      book.columns.flatMap((name) => fieldRegisters(key, name)),
      null,
    ),
    reads: [...rowKeys, ...lines],
    splits: rowKeys,
    kills: line('row', key + 1),
  })),
);

function columnRegisters(name: string): string[] {
  const at = book.columns.indexOf(name) + 1;
  const cells = cellsOf('Two', [at, 1, at, 5]).map((cell) => `V ${cell}`);
  return [`S Two! ${name}`, ...book.keys.map((key) => `R ${key} ${name}`), ...cells];
}

function header(name: string): string[] {
  return [`V Two!${letter(book.columns.indexOf(name) + 1)}1`];
}

const beside = [...cellsOf('Two', [4, 1, 7, 8]).map((cell) => `V ${cell}`), ...lines];
/**
 * Cells below the table, which decide whether a column of the sheet moves with one of the table.
 */
const around = [...below, ...lines];
const parts = [
  ...[...book.columns, 'x', 'y', 'z'].map((name) => `S Two! ${name}`),
  ...book.columns.flatMap((name) => [...book.keys, 7, 8].map((key) => `R ${key} ${name}`)),
];
const all = [...parts, ...cellsOf('Two', [1, 1, 3, 5]).map((cell) => `V ${cell}`)];
const table = { table: book.table };

export const schemas: fc.Arbitrary<Drawn> = fc.oneof(
  fc.constantFrom('x', 'y').map((name) => ({
    kind: 'table.column.add',
    payload: { ...table, column: name },
    writes: { [`S Two! ${name}`]: 'new' },
    reads: beside,
    splits: beside,
  })),
  data.map((name) => ({
    kind: 'table.column.drop',
    payload: { ...table, column: name },
    writes: writing(columnRegisters(name), null),
    reads: around,
    kills: line('column', book.columns.indexOf(name) + 1),
  })),
  fc.tuple(data, fc.constantFrom('x', 'z')).map(([name, to]) => ({
    kind: 'table.column.rename',
    payload: { ...table, column: name, name: to },
    writes: { ...writing([`S Two! ${name}`, ...header(name)], to), [`S Two! ${to}`]: name },
    reads: lines,
  })),
  fc.tuple(data, fc.constantFrom('number', 'text')).map(([name, type]) => ({
    kind: 'table.column.alter',
    payload: { ...table, column: name, type },
    writes: { ...writing(columnRegisters(name), null), [`S Two! ${name}`]: type },
    reads: around,
  })),
  fc.constantFrom('v').map((keyColumn) => ({
    kind: 'table.key.change',
    payload: { ...table, keyColumn },
    writes: writing(all, keyColumn),
    reads: around,
    splits: all,
  })),
  fc.constantFrom('Costs', 'Income').map((name) => ({
    kind: 'table.rename',
    payload: { ...table, name },
    writes: { 'S name': name },
  })),
  fc.constant({
    kind: 'table.drop',
    payload: table,
    writes: writing([...parts, 'S name'], null),
    reads: around,
  }),
);
