import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { readFields } from '../grid/clipboard.ts';
import type { PastedAs } from '../grid/grid-events.ts';
import { selectionOfRange, type Selection } from '../grid/selection.ts';
import { areaAt } from '../grid/merged.ts';
import { joined, spanAt } from '../grid/pieces.ts';
import { loadOf } from './cell-reads.ts';
import { copySteps, markOf, readMark, spanOf, type CopiedCells } from './copied-cells.ts';
import type { SheetSession } from './sheet-session.ts';
import { blockSteps } from './pasted-block.ts';
import { widthOf } from './writes.ts';

/** Cells that are pasted without a question; and the limit of a paste. */
const askedFrom = 10_000;
const pastedMost = 250_000;

/** Target of a paste; `onPasted` gets the written cells, to be selected. */
interface PastePlace {
  readonly range: Range;
  readonly onPasted: (to: Selection) => void;
}

/** Pastes cells of the branch as cells, so that formulas move along, and anything else as texts. */
export function pasteInto(
  session: SheetSession,
  { range: selected, onPasted }: PastePlace,
  pasted: PastedAs,
): Promise<void> | undefined {
  const { rows, mark, isPlain } = pasted;
  const copied = ownCells(session, pasted);
  const at = { row: selected.row0, column: selected.column0 };
  // The first cell of a large paste is scrolled to.
  const told = (to: Range) => onPasted({ ...selectionOfRange(to), anchor: at });
  if (copied && isPlain) {
    told(spanAt(copied.pieces, at));
    return pasteValues(session, selected, copied);
  }
  if (copied) {
    const count = Math.max(cellCount(spanOf(copied)), cellCount(selected));
    ask(session, count, () => {
      const to = pasteCells(session, selected, copied);
      if (to) told(to);
    });
    return undefined;
  }
  // Cells that were copied before they were loaded have no text for elsewhere.
  if (mark !== undefined && pasted.text === '') {
    session.clipboard.tell(
      'These cells were copied on another branch before they were loaded: copy them again.',
    );
    return undefined;
  }
  const width = widthOf(rows);
  ask(session, rows.length * width, () => {
    const { looks, merged } = isPlain ? { looks: [], merged: [] } : pasted;
    session.hand(...blockSteps(session.sheet?.id, { at, rows, looks, merged }));
    const [row1, column1] = [at.row + rows.length - 1, at.column + width - 1];
    told({ row0: at.row, column0: at.column, row1, column1 });
  });
  return undefined;
}

/** Pastes for a menu: cells of this page, or what the browser lets a page read. */
export async function pasteFromMenu(session: SheetSession, place: PastePlace): Promise<void> {
  const { cells } = session.clipboard;
  const mark = cells && markOf(cells);
  try {
    const text = cells ? '' : await navigator.clipboard.readText();
    await pasteInto(session, place, {
      text,
      rows: readFields(text),
      looks: [],
      merged: [],
      mark,
      isPlain: false,
    });
  } catch {
    session.clipboard.tell('This browser reads the clipboard for its key alone: press Ctrl+V.');
  }
}

/** Pastes only values, or only formats, of the last copied cells. */
export function pastePart(
  session: SheetSession,
  selected: Range,
  part: 'values' | 'formats',
): void {
  const { cells: copied } = session.clipboard;
  if (!copied) session.clipboard.tell('Copy cells of this branch first (Ctrl+C).');
  else if (part === 'values') void pasteValues(session, selected, copied);
  else copyCells(session, { ...copied, isCut: false }, selected, { paste: ['formats'] });
}

/** Writes the current values of cells, without their formulas. */
async function pasteValues(
  session: SheetSession,
  { row0, column0 }: Range,
  copied: CopiedCells,
): Promise<void> {
  const sheet = session.sheet?.id ?? '';
  const { pieces } = copied;
  const range = rangeName(spanAt(pieces, { row: row0, column: column0 }));
  const of = { sheetId: copied.sheet, lens: 'value' } as const;
  try {
    const blocks = await Promise.all(pieces.map((piece) => loadOf(session, piece, of)));
    const inputs = joined(pieces, blocks);
    session.apply('range.set', { sheet, range, inputs });
  } catch {
    session.clipboard.tell('The values could not be loaded: paste them once more.');
  }
}

/** Returns the sheets of a copy, by their ids. */
function placesOf({ sheet }: SheetSession, copied: CopiedCells): Readonly<Record<string, string>> {
  const toSheet = sheet?.id ?? copied.sheet;
  return { sheet: copied.sheet, ...(toSheet !== copied.sheet && { toSheet }) };
}

/** Returns the copied cells of a paste, if they are of this branch and still in place. */
function ownCells(session: SheetSession, { text, mark }: PastedAs): CopiedCells | undefined {
  const { place, head, clipboard } = session;
  const { cells: known } = clipboard;
  const read = mark === undefined ? undefined : readMark(mark);
  const isKnown = known && (known.id === read?.id || (text !== '' && known.text === text));
  if (isKnown) return known;
  const isHere = read?.workbookId === place.workbookId && read.branch === place.at.branch;
  return isHere && read.seq === head && !read.isCut ? read : undefined;
}

/** Pastes cells; returns where they lie now. */
function pasteCells(
  session: SheetSession,
  selected: Range,
  copied: CopiedCells,
): Range | undefined {
  // A single cell is pasted into merged cells without splitting them.
  const at = { row: selected.row0, column: selected.column0 };
  const isMerged = areaAt(session.records.merged, at) !== undefined;
  const isInto = isMerged && !copied.isCut && cellCount(spanOf(copied)) === 1;
  const targets = copyCells(session, copied, selected, isInto ? { paste: ['formulas'] } : {});
  // Cut cells are pasted once.
  if (copied.isCut) session.clipboard.forget();
  const [first, last] = [targets[0], targets.at(-1)];
  return first && last && { ...first, row1: last.row1, column1: last.column1 };
}

/** Copies or moves all pieces as one group for undo. */
function copyCells(
  session: SheetSession,
  copied: CopiedCells,
  selected: Range,
  more: { readonly paste?: readonly string[] } = {},
): readonly Range[] {
  const steps = copySteps(copied, selected, session.sheet?.id ?? copied.sheet);
  if (!steps) {
    session.clipboard.tell('These cells would be pasted over themselves: paste them elsewhere.');
    return [];
  }
  const places = placesOf(session, copied);
  const payloads = steps.map(({ source, to }) => ({
    ...places,
    source: rangeName(source),
    to,
    ...more,
  }));
  session.apply(copied.isCut ? 'range.move' : 'range.copy', ...payloads);
  return steps
    .map(({ target }) => target)
    .toSorted((one, other) => one.row0 - other.row0 || one.column0 - other.column0);
}

function ask(session: SheetSession, count: number, paste: () => void): void {
  if (count <= askedFrom) paste();
  else session.clipboard.ask({ count, paste: count > pastedMost ? undefined : paste });
}
