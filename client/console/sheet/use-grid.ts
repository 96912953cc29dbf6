import { useEffect, useRef } from 'preact/hooks';

import { cellName, columnName, parseAddress, type Address } from '../../../server/model/address.ts';
import { cellCount, rangeName } from '../../../server/model/range.ts';
import type { Screen } from '../address.ts';
import type { Vocabulary } from '../formula/completion.ts';
import type { Typed } from '../grid/editor.ts';
import type { GridEvents, PointingField } from '../grid/grid-events.ts';
import { Grid } from '../grid/grid.ts';
import { selectionOf, type Selection } from '../grid/selection.ts';
import type { Pressed } from '../grid/typed-key.ts';
import type { MenuPlace } from './context-menu.tsx';
import { textsOf } from './cell-reads.ts';
import { takeKey, type PanelName } from './panels.tsx';
import { pasteInto } from './pasting.ts';
import type { SheetSession } from './sheet-session.ts';
import { clearCells, enterInput, keepLost, repeatCell } from './writes.ts';

export type SheetAddress = Extract<Screen, { name: 'sheet' }>;

interface GridParts {
  readonly screen: SheetAddress;
  readonly session: SheetSession;
  readonly grid: { current: Grid | undefined };
  readonly host: { readonly current: HTMLDivElement | null };
  /** Inputs of cells as far as they are known, by address. */
  readonly inputs: { readonly current: Map<string, string> };
  readonly selection: Selection;
  readonly setSelection: (selection: Selection) => void;
  /** The last selection on each sheet, by the id of the sheet. */
  readonly kept: { readonly current: Map<string, Selection> };
  readonly setPanel: (name: PanelName) => void;
  /** Hears what is being typed into a cell; undefined when nothing is any more. */
  readonly setTyped: (text: string | undefined) => void;
  readonly setMenu: (at: MenuPlace | undefined) => void;
  /** The formula bar, while it takes cells that are pointed at. */
  readonly pointing: { readonly current: PointingField | undefined };
}

/** Makes the grid once the shape of the sheet is known, and gives it every later shape. */
export function useGrid(parts: GridParts): void {
  const { screen, session, grid, host, inputs, kept, setSelection, setPanel, setTyped, setMenu } =
    parts;
  const latest = useRef(parts.selection);
  latest.current = parts.selection;
  const { shape } = session;
  useEffect(() => {
    if (!shape || !host.current) return;
    if (grid.current) {
      grid.current.reshape(shape);
      return;
    }
    const inputOf = (at: Address) =>
      inputs.current.get(cellName(at.row, at.column)) ?? session.inputAt(at);
    const events = {
      ...gridEvents(session),
      onSelect: (next: Selection) => {
        kept.current.set(session.sheet?.id ?? '', next);
        setSelection(next);
      },
      inputOf,
      onContext: setMenu,
      pointing: () => parts.pointing.current,
      onText: (typed: Typed | undefined) => {
        session.formulas.ofCell = typed?.references;
        setTyped(typed?.text);
        grid.current?.draw();
      },
      onKey: (pressed: Pressed) =>
        takeKey(pressed, { session, selection: latest.current }, setPanel),
    };
    grid.current = new Grid(host.current, { source: session, shape, events });
    grid.current.select(selectionFrom(screen.cell));
    grid.current.focus();
  }, [shape]);
  useEffect(() => () => grid.current?.close(), []);
}

function gridEvents(session: SheetSession): Omit<GridEvents, 'onSelect' | 'inputOf'> {
  return {
    onEdit: (at, input) => enterInput(session, at, input),
    onLost: (at, text) => keepLost(session, at, text),
    onClear: (ranges) => clearCells(session, ranges),
    onPaste: (range, pasted) => pasteInto(session, range, pasted),
    onCopy: (range, isCut) => session.copy(range, isCut),
    onCopied: (text) => session.clipboard.keepText(text),
    loadTexts: (range) => textsOf(session, range),
    vocabulary: (onMore) => vocabularyOf(session, onMore),
    onTell: (sentence) => session.clipboard.tell(sentence),
    onUndo: (isRedo) => session.undo(isRedo),
    onResize: (lines, index, px) => {
      const from = lines === 'rows' ? index + 1 : columnName(index);
      session.apply(`${lines === 'rows' ? 'rows' : 'cols'}.size`, { from, count: 1, px });
    },
    onFill: (source, target) =>
      session.apply('range.autofill', { source: rangeName(source), target: rangeName(target) }),
    onRepeat: (cell, range) => {
      const isItself = range.row0 === cell.row && range.column0 === cell.column;
      if (cellCount(range) > 1 || !isItself) repeatCell(session, cell, range);
    },
    edgeOf: (from, arrow, signal) => session.edgeOf(from, arrow, signal),
    lockedBecause: () => session.lockedBecause,
  };
}

export function selectionFrom(text: string | undefined): Selection {
  const [first = 'A1', last = first] = (text ?? 'A1').split(':');
  const [active, other] = [readCell(first), readCell(last)];
  if (!active) return selectionOf(0, 0);
  return { active, other: other ?? active };
}

/** Returns the cell that a text such as `b7` names. */
export function readCell(text: string): Address | undefined {
  return parseAddress(text.trim());
}

/** Returns the words for formulas of the sheets that are there. */
export function vocabularyOf(session: SheetSession, onMore: () => void): Vocabulary {
  return session.formulas.vocabulary(
    session.sheets.map(({ name }) => name),
    onMore,
  );
}
