import type { Address } from '../../../server/model/address.ts';
import type { ShownSheet } from '../grid/grid-events.ts';
import type { Grid } from '../grid/grid.ts';
import { selectionOf, type Selection } from '../grid/selection.ts';
import { goToNamed } from './names.ts';
import type { SheetSession } from './sheet-session.ts';
import { readSelection, returnTo } from './use-grid.ts';
import { enterInput } from './writes.ts';

interface Leading {
  readonly session: SheetSession;
  readonly grid: { readonly current: Grid | undefined };
  readonly setSelection: (selection: Selection) => void;
  readonly focus: () => void;
  readonly setError: (error: Error) => void;
}

export type Navigation = ReturnType<typeof navigationOf>;

/** Returns the functions that move to cells, on the shown sheet and on others. */
export function navigationOf({ session, grid, setSelection, focus, setError }: Leading) {
  // Without a grid yet, it will begin with the requested cells.
  const select = (to: Selection) => (grid.current ? grid.current.select(to) : setSelection(to));
  const reach = (cell: Address) => select(selectionOf(cell.row, cell.column));
  const lead = (way: Promise<void>) => {
    grid.current?.lead(way);
    focus();
  };
  const reachOn = (cell: Address, sheetId: string, then = focus) => {
    const go = () => {
      reach(cell);
      then();
    };
    if (sheetId === session.sheet?.id) go();
    else lead(returnTo(session, sheetId).then(go));
  };
  return {
    select,
    reach,
    lead,
    reachOn,
    /** Leads to the cells that a text names. */
    goTo: (text: string) => {
      const to = readSelection(text);
      if (!to) return lead(goToNamed(session, text, select).catch(setError));
      select(to);
      focus();
    },
    /** Sets the zoom factor. */
    zoomTo: (zoom: number) => {
      grid.current?.zooming.to(zoom);
      focus();
    },
    /** Opens the input of a cell with a text. */
    edit: (cell: Address, sheetId: string, text: string) =>
      reachOn(cell, sheetId, () => grid.current?.type(text)),
    /** Enters the typed text of a cell, and returns to its sheet. */
    enter: (text: string, at: { sheet: ShownSheet | undefined; cell: Address }) => {
      enterInput(session, at.cell, text, at.sheet?.id);
      if (at.sheet && at.sheet.id !== session.sheet?.id) reachOn(at.cell, at.sheet.id);
    },
  };
}
