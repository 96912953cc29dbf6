import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { cellCount, parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import type { Screen } from '../address.ts';
import type { Vocabulary } from '../formula/completion.ts';
import { EarlyKeys } from '../grid/early-keys.ts';
import type { Typed } from '../grid/editor.ts';
import type { GridEvents, PastedAs, PointingField } from '../grid/grid-events.ts';
import { Grid } from '../grid/grid.ts';
import { selectionOf, selectionOfRange, type Selection } from '../grid/selection.ts';
import type { Pressed } from '../grid/typed-key.ts';
import type { MenuPlace } from './context-menu.tsx';
import { foldPayload, kindOfLines, resizeLines } from './line-places.ts';
import { textsOf } from './cell-reads.ts';
import { takeKey, type PanelName } from './panels.tsx';
import { pasteInto } from './pasting.ts';
import type { SheetSession } from './sheet-session.ts';
import { zoomOfKey } from './zoom-control.tsx';
import { clearCells, enterInput, keepLost, repeatCell } from './writes.ts';

export type SheetAddress = Extract<Screen, { name: 'sheet' }>;

interface GridParts {
  readonly session: SheetSession;
  readonly grid: { current: Grid | undefined };
  readonly host: { readonly current: HTMLDivElement | null };
  /** Known inputs of cells, by address. */
  readonly inputs: { readonly current: Map<string, string> };
  readonly selection: Selection;
  readonly setSelection: (selection: Selection) => void;
  /** Last selection on each sheet, by the id of the sheet. */
  readonly kept: { readonly current: Map<string, Selection> };
  readonly setPanel: (name: PanelName) => void;
  /** Called with the text being typed into a cell; undefined when typing ends. */
  readonly setTyped: (text: string | undefined) => void;
  /** Called with the zoom factor. */
  readonly setZoom: (zoom: number) => void;
  readonly setMenu: (at: MenuPlace | undefined) => void;
  /** Formula bar, while it takes references by pointing. */
  readonly pointing: { readonly current: PointingField | undefined };
}

/** Makes the grid once the shape of the sheet is known, and updates it later. */
export function useGrid(parts: GridParts): void {
  const { session, grid, host, inputs, kept, setSelection, setPanel, setTyped, setMenu } = parts;
  const latest = useRef(parts.selection);
  latest.current = parts.selection;
  const early = useRef<EarlyKeys | undefined>(undefined);
  useLayoutEffect(() => {
    early.current = new EarlyKeys(document);
  }, []);
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
      onPaste: (range: Range, pasted: PastedAs) =>
        pasteInto(session, { range, onPasted: (to) => grid.current?.select(to) }, pasted),
      onSelect: (next: Selection) => {
        kept.current.set(session.sheet?.id ?? '', next);
        setSelection(next);
      },
      inputOf,
      isFormula: (at: Address) =>
        inputs.current.get(cellName(at.row, at.column))?.startsWith('=') === true,
      onContext: setMenu,
      onFilter: () => setPanel('filter'),
      pointing: () => parts.pointing.current,
      onText: (typed: Typed | undefined) => {
        session.formulas.hearCell(typed?.references, session.sheet?.name);
        setTyped(typed?.text);
        grid.current?.draw();
      },
      onZoom: parts.setZoom,
      onKey: (pressed: Pressed) => {
        const { zooming } = grid.current ?? {};
        const zoom = zooming && zoomOfKey(pressed, zooming.zoom);
        if (zoom !== undefined) zooming?.to(zoom);
        return (
          zoom !== undefined || takeKey(pressed, { session, selection: latest.current }, setPanel)
        );
      },
    };
    grid.current = new Grid(host.current, { source: session, shape, events });
    // A cell may have been requested while the sheet was loading.
    grid.current.select(latest.current);
    const pressed = early.current?.take();
    // Keys of the history go on from position to position.
    if (document.activeElement?.id !== 'history') grid.current.focus(pressed);
  }, [shape]);
  useEffect(() => {
    return () => {
      early.current?.take();
      grid.current?.close();
    };
  }, []);
}

function gridEvents(session: SheetSession): Omit<GridEvents, 'onSelect' | 'inputOf' | 'onPaste'> {
  return {
    onEdit: (at, input, sheetId) => enterInput(session, at, input, sheetId),
    sheet: () => session.sheet,
    onReturn: (sheetId) => returnTo(session, sheetId),
    onLost: (at, text) => keepLost(session, at, text),
    onClear: (ranges) => clearCells(session, ranges),
    onCopy: (pieces, isCut) => session.copy(pieces, isCut),
    onCopied: (text) => session.clipboard.keepText(text),
    loadTexts: (range) => textsOf(session, range),
    vocabulary: (onMore) => vocabularyOf(session, onMore),
    noteOf: (cell) => session.noteAt(cell),
    onTell: (sentence) => session.clipboard.tell(sentence),
    onUndo: (isRedo) => session.undo(isRedo),
    onResize: (lines, sizes) => resizeLines(session, lines, sizes),
    onFold: (lines, group) => session.apply(kindOfLines(lines, 'group'), foldPayload(lines, group)),
    onFill: (source, target) =>
      session.apply('range.autofill', { source: rangeName(source), target: rangeName(target) }),
    onRepeat: (cell, range, sheetId) => {
      const isItself = range.row0 === cell.row && range.column0 === cell.column;
      if (cellCount(range) > 1 || !isItself) {
        repeatCell(session, cell, { range, ...(sheetId !== undefined && { sheetId }) });
      }
    },
    edgeOf: (from, arrow, signal) => session.edgeOf(from, arrow, signal),
    lockedBecause: () => session.lockedBecause,
  };
}

export function selectionFrom(text: string | undefined): Selection {
  return readSelection(text ?? '') ?? selectionOf(0, 0);
}

/** Returns the selection that a text such as `b7`, `B7:C9` or `A:C` names. */
export function readSelection(text: string): Selection | undefined {
  const range = parseRange(text.trim());
  return range && selectionOfRange(range);
}

/** Shows a sheet again by its id; the first one if it is deleted. */
export function returnTo(session: SheetSession, sheetId: string | undefined): Promise<void> {
  return session.choose(session.sheets.find(({ id }) => id === sheetId)?.name ?? '');
}

/** Returns the words for formulas, with the sheets that exist. */
export function vocabularyOf(session: SheetSession, onMore: () => void): Vocabulary {
  return session.formulas.vocabulary(
    session.sheets.map(({ name }) => name),
    onMore,
  );
}
