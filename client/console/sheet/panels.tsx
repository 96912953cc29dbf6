import type { Address } from '../../../server/model/address.ts';
import { rangeOfSelection, type Selection } from '../grid/selection.ts';
import { commandOfKey } from './commands.ts';
import { FindBar } from './find-bar.tsx';
import { NoteDialog } from './note-dialog.tsx';
import type { SheetSession } from './sheet-session.ts';

export type PanelName = 'note' | 'find';

interface PanelParts {
  readonly name: PanelName | undefined;
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onGo: (cell: Address) => void;
  readonly onClose: () => void;
}

/** The panel that is open, if any. */
export function Panel({ name, session, selection, onGo, onClose }: PanelParts) {
  if (name === 'note') {
    return <NoteDialog session={session} at={selection.active} onClose={onClose} />;
  }
  if (name !== 'find') return null;
  return (
    <FindBar
      session={session}
      isLocked={session.lockedBecause !== undefined}
      onGo={onGo}
      onClose={onClose}
    />
  );
}

/** Keys of commands on the selected cells; answers whether it was one. */
export function takeKey(
  event: KeyboardEvent,
  { session, selection }: { readonly session: SheetSession; readonly selection: Selection },
  setPanel: (name: PanelName) => void,
): boolean {
  const panel = panelOf(event);
  if (panel) setPanel(panel);
  else if (isGoing(event)) document.querySelector<HTMLInputElement>('.name-box')?.select();
  else {
    const range = rangeOfSelection(selection);
    const isLocked = session.lockedBecause !== undefined;
    const command = isLocked ? undefined : commandOfKey(event, range);
    const style = session.cellAt(range.row0, range.column0)?.style ?? {};
    command?.run({ session, range, style });
    return command !== undefined;
  }
  return true;
}

function panelOf({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): PanelName | undefined {
  if (key === 'F2' && shiftKey) return 'note';
  return (ctrlKey || metaKey) && /^[fh]$/iu.test(key) ? 'find' : undefined;
}

function isGoing({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'F5' || ((ctrlKey || metaKey) && key.toLowerCase() === 'g');
}
