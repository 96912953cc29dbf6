import { columnName } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import type { Pressed } from '../grid/typed-key.ts';
import type { CellStyle } from '../store/block-store.ts';
import { pastePart } from './pasting.ts';
import { rangesOf, type Selection } from '../grid/selection.ts';
import type { PanelName } from './panels.tsx';
import { mergeCells } from './merging.ts';
import type { SheetSession } from './sheet-session.ts';
import { untilShown } from './until-shown.ts';

/** A command on the cells that are selected. */
export interface SheetCommand {
  readonly label: string;
  /** Keys for people: `Ctrl+B`. */
  readonly keys?: string;
  /** Menu of the toolbar. */
  readonly menu: 'Format' | 'Insert' | 'Data';
  /** Lines that it deletes or inserts; hidden for a selection of whole lines of the other kind. */
  readonly lines?: Lines;
  /** True for a command that writes nothing, so that readers have it too. */
  readonly isReading?: boolean;
  /** Panel that carries the command out. */
  readonly panel?: PanelName;
  /** Keys pressed before a promise that it returns is fulfilled are held back. */
  readonly run: (at: CommandPlace) => void | Promise<void>;
}

type Lines = 'rows' | 'columns';

export interface CommandPlace {
  readonly session: SheetSession;
  /** The range of the active cell. */
  readonly range: Range;
  /** All selected ranges, for formats. */
  readonly ranges: readonly Range[];
  readonly style: CellStyle;
}

export function placeOf(session: SheetSession, selection: Selection): CommandPlace {
  const ranges = rangesOf(selection);
  const [range] = ranges;
  return { session, range, ranges, style: session.cellAt(range.row0, range.column0)?.style ?? {} };
}

/**
 * Runs a command, or shows why several ranges are not possible; a promise is fulfilled when keys
 * may go on.
 */
export function runCommand(command: SheetCommand, place: CommandPlace): void | Promise<void> {
  const isForAll = command.menu === 'Format' || command.isReading === true;
  const whole = wholeLines(place);
  if (command.lines && whole && whole !== command.lines) {
    const here = `These are whole ${whole}`;
    place.session.clipboard.tell(`${here}: “${command.label}” would be for the whole sheet.`);
  } else if (isForAll || place.ranges.length === 1) return command.run(place);
  else place.session.clipboard.tell(`“${command.label}” is for one range: select it alone.`);
}

/** Returns the kind of selected whole lines; undefined for cells and for all cells. */
export function wholeLines({ session, range }: CommandPlace): Lines | undefined {
  const { rows, columns } = session.shape ?? {};
  const hasAllRows = range.row0 === 0 && range.row1 === (rows?.count ?? 0) - 1;
  const hasAllColumns = range.column0 === 0 && range.column1 === (columns?.count ?? 0) - 1;
  if (hasAllRows === hasAllColumns) return undefined;
  return hasAllRows ? 'columns' : 'rows';
}

const columnLimit = 16_384;
const rowCount = ({ row0, row1 }: Range) => row1 - row0 + 1;
const columnCount = ({ column0, column1 }: Range) => column1 - column0 + 1;

/** Sets properties of the format of the selected cells. */
export function setStyle(
  { session, ranges }: CommandPlace,
  style: Readonly<Record<string, unknown>>,
  replaced: { readonly replace?: true } = {},
) {
  const set = ranges.map((range) => ({ range: rangeName(range), style, ...replaced }));
  session.apply('format.set', ...set);
}

function toggle(label: string, keys: string, property: 'bold' | 'italic' | 'strike'): SheetCommand {
  return {
    label,
    keys,
    menu: 'Format',
    run: (at) => setStyle(at, { [property]: at.style[property] === true ? null : true }),
  };
}

function look(
  label: string,
  style: Readonly<Record<string, unknown>>,
  keys?: string,
): SheetCommand {
  return {
    label,
    menu: 'Format',
    run: (at) => setStyle(at, style),
    ...(keys !== undefined && { keys }),
  };
}

const formats: readonly SheetCommand[] = [
  toggle('Bold', 'Ctrl+B', 'bold'),
  toggle('Italic', 'Ctrl+I', 'italic'),
  toggle('Strike through', 'Ctrl+5', 'strike'),
  {
    label: 'Underline',
    keys: 'Ctrl+U',
    menu: 'Format',
    run: (at) => setStyle(at, { underline: at.style.underline === undefined ? 'single' : null }),
  },
  look('Align left', { align: 'left' }),
  look('Align to the middle', { align: 'center' }),
  look('Align right', { align: 'right' }),
  {
    label: 'Wrap texts',
    menu: 'Format',
    run: (at) => setStyle(at, { wrap: at.style.wrap === true ? null : true }),
  },
  look('Number: as it is', { numberFormat: null }, 'Ctrl+Shift+~'),
  look('Number: 1,234.50', { numberFormat: '#,##0.00' }, 'Ctrl+Shift+!'),
  look('Number: 12:30', { numberFormat: 'h:mm AM/PM' }, 'Ctrl+Shift+@'),
  look('Number: 2026-01-31', { numberFormat: 'yyyy-mm-dd' }, 'Ctrl+Shift+#'),
  look('Number: $1,234.50', { numberFormat: '$#,##0.00' }, 'Ctrl+Shift+$'),
  look('Number: 12%', { numberFormat: '0%' }, 'Ctrl+Shift+%'),
  look('Number: 1.23E+03', { numberFormat: '0.00E+00' }, 'Ctrl+Shift+^'),
  {
    label: 'No format',
    menu: 'Format',
    run: (at) => setStyle(at, {}, { replace: true }),
  },
];

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

function fill(label: string, keys: string, isDown: boolean): SheetCommand {
  return {
    label,
    keys,
    menu: 'Data',
    run: ({ session, range }) => {
      const source = isDown ? { ...range, row1: range.row0 } : { ...range, column1: range.column0 };
      session.apply('range.copy', { source: rangeName(source), to: rangeName(range) });
    },
  };
}

function hide(lines: 'rows' | 'columns', hidden: boolean): SheetCommand {
  return {
    label: `${hidden ? 'Hide' : 'Show'} ${hidden ? 'these' : 'hidden'} ${lines}`,
    menu: 'Data',
    ...(hidden && { lines }),
    run: ({ session, range }) => {
      const isRows = lines === 'rows';
      const from = isRows ? range.row0 + 1 : columnName(range.column0);
      const count = isRows ? rowCount(range) : columnCount(range);
      session.apply(isRows ? 'rows.hide' : 'cols.hide', { from, count, hidden });
    },
  };
}

function opener(label: string, menu: SheetCommand['menu'], panel: PanelName): SheetCommand {
  return { label, menu, panel, run: () => undefined };
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
  hide('rows', true),
  hide('rows', false),
  hide('columns', true),
  hide('columns', false),
  {
    label: 'Freeze above and left of here',
    menu: 'Data',
    run: ({ session, range }) =>
      session.apply('sheet.props', {
        freezeRows: range.row0 || null,
        freezeCols: range.column0 || null,
      }),
  },
];

export const sheetCommands: readonly SheetCommand[] = [...formats, ...inserts, ...data];

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
