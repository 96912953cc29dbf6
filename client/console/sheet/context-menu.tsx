import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import type { Selection } from '../grid/selection.ts';
import { runCommand, wholeLines, type CommandPlace, type SheetCommand } from './command.ts';
import { sheetCommands } from './commands.ts';
import type { PanelName } from './panels.tsx';
import { pasteFromMenu } from './pasting.ts';

/** A place in pixels of the window. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

interface ContextParts {
  readonly at: MenuPlace;
  readonly place: CommandPlace;
  readonly isLocked: boolean;
  readonly onOpen: (name: PanelName) => void;
  readonly onClose: () => void;
  /** Called with the cells where a paste went. */
  readonly onPasted: (to: Selection) => void;
}

/** Commands on cells; for whole lines those on the other kind are left out. */
const shown = ['Rows above', 'Columns to the left', 'Delete these rows', 'Delete these columns'];
/** Additional commands for whole lines. */
const shownOfLines = [
  'Row height…',
  'Column width…',
  'Hide these rows',
  'Show hidden rows',
  'Hide these columns',
  'Show hidden columns',
];
const marginPx = 8;

/** Menu of the selected cells. */
export function ContextMenu({ at, place, isLocked, onOpen, onClose, onPasted }: ContextParts) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = host.current;
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(0, Math.min(at.x, window.innerWidth - width - marginPx))}px`;
    menu.style.top = `${Math.max(0, Math.min(at.y, window.innerHeight - height - marginPx))}px`;
    menu.querySelector('button')?.focus();
  }, [at]);
  useEffect(() => {
    const leave = (event: PointerEvent) => {
      if (event.target instanceof Node && !host.current?.contains(event.target)) onClose();
    };
    window.addEventListener('pointerdown', leave, { capture: true });
    return () => window.removeEventListener('pointerdown', leave, { capture: true });
  }, []);
  const item = (label: string, isOff: boolean, run: () => void) => (
    <button
      key={label}
      type="button"
      role="menuitem"
      class="line"
      disabled={isOff}
      onClick={() => {
        // The focus returns to the cells before a command acts on them.
        onClose();
        run();
      }}
    >
      {label}
    </button>
  );
  const commands = commandsFor(place);
  return (
    <div
      ref={host}
      class="context-menu"
      role="menu"
      aria-label="Selected cells"
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === 'Tab') onClose();
        else if (!step(host.current, event.key)) return;
        event.preventDefault();
      }}
      onContextMenu={(event) => event.preventDefault()}
    >
      {item('Cut', isLocked, () => byCommand(place, 'cut'))}
      {item('Copy', false, () => byCommand(place, 'copy'))}
      {item(
        'Paste',
        isLocked,
        () => void pasteFromMenu(place.session, { range: place.range, onPasted }),
      )}
      {commands.map((command) =>
        item(command.label, isLocked, () => {
          if (command.panel) onOpen(command.panel);
          else void runCommand(command, place);
        }),
      )}
      {item('Note', isLocked, () => onOpen('note'))}
      {item('Comments, who wrote it', false, () => onOpen('beside'))}
    </div>
  );
}

function commandsFor(place: CommandPlace): readonly SheetCommand[] {
  const whole = wholeLines(place);
  const labels = whole ? [...shown, ...shownOfLines] : shown;
  const named = labels.flatMap((label) => sheetCommands.filter((one) => one.label === label));
  // Labels name the one kind of lines or the other.
  const kind = whole?.slice(0, -1) ?? '';
  return named.filter(({ label }) => label.toLowerCase().includes(kind));
}

/** Moves to the next or previous item; returns whether the key is for that. */
function step(menu: HTMLElement | null, key: string): boolean {
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (by === undefined || !menu) return false;
  const items = [...menu.querySelectorAll<HTMLButtonElement>('button:enabled')];
  const at = items.findIndex((one) => one === document.activeElement);
  items[(at + by + items.length) % items.length]?.focus();
  return true;
}

/** Copies or cuts by the browser, which some browsers only allow for their own keys. */
function byCommand({ session }: CommandPlace, name: 'copy' | 'cut'): void {
  const key = name === 'copy' ? 'C' : 'X';
  if (!document.execCommand(name)) session.clipboard.tell(`Press Ctrl+${key} for that.`);
}
