import { useEffect, useRef } from 'preact/hooks';

import { cellName, columnName, type Address } from '../../../server/model/address.ts';
import { cellCount, rangeName } from '../../../server/model/range.ts';
import type { Screen } from '../address.ts';
import { Grid, type GridEvents } from '../grid/grid.ts';
import { selectionOf, type Selection } from '../grid/selection.ts';
import type { Pressed } from '../grid/typed-key.ts';
import { takeKey, type PanelName } from './panels.tsx';
import { readCell, type SheetSession } from './sheet-session.ts';

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
  /** What was selected last on each sheet, by the id of the sheet. */
  readonly kept: { readonly current: Map<string, Selection> };
  readonly setPanel: (name: PanelName) => void;
}

/** Makes the grid once the shape of the sheet is known, and gives it every later shape. */
export function useGrid(parts: GridParts): void {
  const { screen, session, grid, host, inputs, kept, setSelection, setPanel } = parts;
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
    onEdit: (at, input) => session.enter(at, input),
    onLost: (at, text) => session.keepLost(at, text),
    onClear: (range) => session.clear(range),
    onPaste: (at, rows) => session.paste(at, rows),
    onUndo: (isRedo) => session.undo(isRedo),
    onResize: (lines, index, px) => {
      const from = lines === 'rows' ? index + 1 : columnName(index);
      session.apply(`${lines === 'rows' ? 'rows' : 'cols'}.size`, { from, count: 1, px });
    },
    onFill: (source, target) =>
      session.apply('range.autofill', { source: rangeName(source), target: rangeName(target) }),
    onRepeat: ({ row, column }, range) => {
      if (cellCount(range) === 1) return;
      const copied = { source: cellName(row, column), to: rangeName(range) };
      session.apply('range.copy', { ...copied, paste: ['formulas'] });
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
