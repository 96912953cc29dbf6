import { columnName } from '../../../server/model/address.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../../server/model/range.ts';
import type { Pressed } from '../grid/typed-key.ts';
import { opener, type SheetCommand } from './command.ts';
import { formatCommands } from './format-commands.ts';
import { lineCommands } from './line-commands.ts';
import { mergeCells } from './merging.ts';
import { pastePart } from './pasting.ts';
import { untilShown } from './until-shown.ts';

const columnLimit = 16_384;

const inserts: readonly SheetCommand[] = [
  {
    label: 'Rows above',
    menu: 'Insert',
    lines: 'rows',
    run: ({ session, range }) => {
      session.apply('rows.insert', { before: range.row0 + 1, count: rowCount(range) });
      return untilShown(session);
    },
  },
  {
    label: 'Columns to the left',
    menu: 'Insert',
    lines: 'columns',
    run: ({ session, range }) => {
      const before = columnName(range.column0);
      session.apply('cols.insert', { before, count: columnCount(range) });
      return untilShown(session);
    },
  },
  {
    label: 'Delete these rows',
    menu: 'Insert',
    lines: 'rows',
    run: ({ session, range }) =>
      session.apply('rows.delete', { from: range.row0 + 1, count: rowCount(range) }),
  },
  {
    label: 'Delete these columns',
    menu: 'Insert',
    lines: 'columns',
    run: ({ session, range }) =>
      session.apply('cols.delete', { from: columnName(range.column0), count: columnCount(range) }),
  },
  {
    label: 'Merge cells',
    menu: 'Insert',
    run: ({ session, range }) => {
      mergeCells(session, range).catch(({ message }: Error) => session.clipboard.tell(message));
    },
  },
  {
    label: 'Take merged cells apart',
    menu: 'Insert',
    run: ({ session, range }) => session.apply('cellmerge.remove', { range: rangeName(range) }),
  },
];

/** Returns the row that a range is filled from: its first one, or for one row that above it. */
function rowToFill(range: Range): Range {
  const row = rowCount(range) > 1 ? range.row0 : Math.max(0, range.row0 - 1);
  return { ...range, row0: row, row1: row };
}

function columnToFill(range: Range): Range {
  const column = columnCount(range) > 1 ? range.column0 : Math.max(0, range.column0 - 1);
  return { ...range, column0: column, column1: column };
}

function fill(label: string, keys: string, isDown: boolean): SheetCommand {
  return {
    label,
    keys,
    menu: 'Data',
    run: ({ session, range }) => {
      const source = isDown ? rowToFill(range) : columnToFill(range);
      const isOfItself = rangeName(source) === rangeName(range);
      if (isOfItself) session.clipboard.tell('There is nothing before these cells to fill from.');
      else session.apply('range.copy', { source: rangeName(source), to: rangeName(range) });
    },
  };
}

const data: readonly SheetCommand[] = [
  {
    label: 'Show formulas, or values again',
    keys: 'Ctrl+`',
    menu: 'Data',
    isReading: true,
    run: ({ session }) => session.turnInputs(),
  },
  {
    label: 'Paste values alone',
    keys: 'Ctrl+Shift+V',
    menu: 'Data',
    run: ({ session, range }) => pastePart(session, range, 'values'),
  },
  {
    label: 'Paste formats alone',
    menu: 'Data',
    run: ({ session, range }) => pastePart(session, range, 'formats'),
  },
  opener('Names…', 'Data', 'names'),
  opener('Sort from low to high', 'Data', 'sort-low'),
  opener('Sort from high to low', 'Data', 'sort-high'),
  opener('Sort by several columns…', 'Data', 'sort'),
  fill('Fill down', 'Ctrl+D', true),
  fill('Fill to the right', 'Ctrl+R', false),
];

export const sheetCommands: readonly SheetCommand[] = [
  ...formatCommands,
  ...inserts,
  ...lineCommands,
  ...data,
];

const lineKeys: Readonly<Record<string, 0 | 2>> = { '+': 0, '=': 0, '-': 2, _: 2 };

/** Returns the command of a key; plus and minus depend on the kind of selected lines. */
export function commandOfKey(event: Pressed, range: Range): SheetCommand | undefined {
  if (!event.ctrlKey && !event.metaKey) return undefined;
  // A paste has an event of its own, with the content of the clipboard.
  if (event.key.toLowerCase() === 'v') return undefined;
  const first = lineKeys[event.key];
  if (first !== undefined) return inserts[first + (columnCount(range) === columnLimit ? 0 : 1)];
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const name = `Ctrl+${event.shiftKey ? 'Shift+' : ''}${key}`;
  return sheetCommands.find(({ keys }) => keys === name);
}
