import type { Address } from '../../../server/model/address.ts';
import type { Selection } from '../grid/selection.ts';
import type { Pressed } from '../grid/typed-key.ts';
import { lazy } from '../shell/lazy.tsx';
import { placeOf, runCommand, type Lines } from './command.ts';
import { commandOfKey } from './commands.ts';
import { ContextMenu, type MenuPlace } from './context-menu.tsx';
import { FindBar } from './find-bar.tsx';
import { LineSizes } from './line-sizes.tsx';
import { NamesDialog } from './names-dialog.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { usePaletteEntries } from './palette-entries.ts';
import { PasteQuestion } from './paste-question.tsx';
import type { SheetSession } from './sheet-session.ts';

// Both need the service for the rows around a cell, so that their code may come from it as well.
const FilterDialog = lazy(() => import('./filter-dialog.tsx'));
const SortDialog = lazy(() => import('./sort-dialog.tsx'));

export type PanelName =
  | 'note'
  | 'find'
  | 'filter'
  | 'beside'
  | 'sort'
  | 'sort-low'
  | 'sort-high'
  | 'names'
  | 'row-height'
  | 'column-width';

interface PanelParts {
  readonly name: PanelName | undefined;
  readonly session: SheetSession;
  readonly selection: Selection;
  /** Place of the context menu; undefined if it is closed. */
  readonly menu: MenuPlace | undefined;
  readonly onGo: (cell: Address) => void;
  /** Called with the cells where a paste went. */
  readonly onPasted: (to: Selection) => void;
  readonly onOpen: (name: PanelName) => void;
  readonly onClose: () => void;
}

const sizedLines: Readonly<Record<string, Lines>> = {
  'row-height': 'rows',
  'column-width': 'columns',
};

/** The panel that is open, if any. */
export function Panel(parts: PanelParts) {
  const { name, session, selection, menu, onGo, onClose } = parts;
  usePaletteEntries(parts);
  const isLocked = session.lockedBecause !== undefined;
  const { question } = session.clipboard;
  if (question) {
    const close = () => {
      // There may be a question about another paste by then.
      if (session.clipboard.question !== question) return;
      session.clipboard.ask(undefined);
      onClose();
    };
    return <PasteQuestion key={session.clipboard.asked} question={question} onClose={close} />;
  }
  if (menu) {
    const place = placeOf(session, selection);
    return <ContextMenu {...parts} at={menu} place={place} isLocked={isLocked} />;
  }
  if (name === 'note') {
    return <NoteDialog session={session} at={selection.active} onClose={onClose} />;
  }
  if (name === 'filter') {
    return <FilterDialog {...{ session, selection, onGo, onClose }} />;
  }
  if (name === 'names') return <NamesDialog {...{ session, selection, onClose }} />;
  if (name === 'sort' || name === 'sort-low' || name === 'sort-high') {
    const isDescending = { sort: undefined, 'sort-low': false, 'sort-high': true }[name];
    return <SortDialog key={name} {...{ session, selection, isDescending, onClose }} />;
  }
  const lines = sizedLines[name ?? ''];
  if (lines) return <LineSizes key={lines} {...{ session, selection, lines, onClose }} />;
  if (name !== 'find') return null;
  return <FindBar session={session} isLocked={isLocked} onGo={onGo} onClose={onClose} />;
}

/**
 * Handles keys of commands on the selected cells; returns whether it was one, or when it is done.
 */
export function takeKey(
  pressed: Pressed,
  { session, selection }: { readonly session: SheetSession; readonly selection: Selection },
  setPanel: (name: PanelName) => void,
): boolean | Promise<void> {
  const panel = panelOf(pressed);
  const sheet = sheetBeside(pressed, session);
  if (sheet !== undefined) return session.choose(sheet);
  if (pressed.key === 'Escape') session.clipboard.forget();
  else if (panel) setPanel(panel);
  else if (isGoing(pressed)) document.querySelector<HTMLInputElement>('.name-box')?.select();
  else {
    const place = placeOf(session, selection);
    const isLocked = session.lockedBecause !== undefined;
    const command = commandOfKey(pressed, place.range);
    if (!command || (isLocked && command.isReading !== true)) return false;
    return runCommand(command, place) ?? true;
  }
  return true;
}

/** Returns the sheet that Ctrl+Shift+PageUp or PageDown leads to. */
function sheetBeside(
  { key, shiftKey, ctrlKey, metaKey }: Pressed,
  session: SheetSession,
): string | undefined {
  if (!shiftKey || !(ctrlKey || metaKey) || !/^Page(?:Up|Down)$/u.test(key)) return undefined;
  const at = session.tabs.findIndex(({ id }) => id === session.sheet?.id);
  const beside = session.tabs[at + (key === 'PageUp' ? -1 : 1)] ?? session.sheet;
  return beside?.name;
}

function panelOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): PanelName | undefined {
  if (key === 'F2' && shiftKey) return 'note';
  if ((ctrlKey || metaKey) && altKey) return key.toLowerCase() === 'm' ? 'beside' : undefined;
  if (!ctrlKey && !metaKey) return undefined;
  if (shiftKey) return key.toLowerCase() === 'l' ? 'filter' : undefined;
  return /^[fh]$/iu.test(key) ? 'find' : undefined;
}

function isGoing({ key, ctrlKey, metaKey }: Pressed): boolean {
  return key === 'F5' || ((ctrlKey || metaKey) && key.toLowerCase() === 'g');
}
