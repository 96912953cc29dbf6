import { rangeName, type Range } from '../../../server/model/range.ts';
import { rangesOf, type Selection } from '../grid/selection.ts';
import type { CellStyle } from '../store/block-store.ts';
import type { PanelName } from './panels.tsx';
import type { SheetSession } from './sheet-session.ts';

/** A command on the cells that are selected. */
export interface SheetCommand {
  readonly label: string;
  /** Keys for people: `Ctrl+B`. */
  readonly keys?: string;
  /** Menu of the toolbar. */
  readonly menu: 'Format' | 'Insert' | 'Lines' | 'Data';
  /** Lines that it deletes or inserts; hidden for a selection of whole lines of the other kind. */
  readonly lines?: Lines;
  /** True for a command that writes nothing, so that readers have it too. */
  readonly isReading?: boolean;
  /** Panel that carries the command out. */
  readonly panel?: PanelName;
  /** Keys pressed before a promise that it returns is fulfilled are held back. */
  readonly run: (at: CommandPlace) => void | Promise<void>;
}

export type Lines = 'rows' | 'columns';

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

/** Sets properties of the format of the selected cells. */
export function setStyle(
  { session, ranges }: CommandPlace,
  style: Readonly<Record<string, unknown>>,
  replaced: { readonly replace?: true } = {},
) {
  const set = ranges.map((range) => ({ range: rangeName(range), style, ...replaced }));
  session.apply('format.set', ...set);
}

/** Returns a command that opens a panel. */
export function opener(label: string, menu: SheetCommand['menu'], panel: PanelName): SheetCommand {
  return { label, menu, panel, run: () => undefined };
}
