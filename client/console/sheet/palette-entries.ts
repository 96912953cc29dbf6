import { useEffect, useRef } from 'preact/hooks';

import type { Selection } from '../grid/selection.ts';
import type { Entry } from '../palette/entries.ts';
import { useShell } from '../shell/context.ts';
import { placeOf, runCommand } from './command.ts';
import { sheetCommands } from './commands.ts';
import { exportFile } from './export-file.ts';
import { exports } from './file-menu.tsx';
import type { PanelName } from './panels.tsx';
import type { SheetSession } from './sheet-session.ts';

interface OfferedParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onOpen: (name: PanelName) => void;
  readonly onClose: () => void;
}

const panels: readonly (readonly [label: string, panel: PanelName, keys: string])[] = [
  ['Find and replace', 'find', 'Ctrl+F'],
  ['Filter by values', 'filter', 'Ctrl+Shift+L'],
  ['Note', 'note', 'Shift+F2'],
  ['Comments, who wrote it', 'beside', 'Ctrl+Alt+M'],
];
const readingPanels: readonly PanelName[] = ['find', 'beside'];

/** Buttons and fields of the page that the palette can use. */
const controls: readonly (readonly [label: string, selector: string, isWriting: boolean])[] = [
  ['Rename the workbook', '.book-name', true],
  ['Rename, duplicate, move, hide or delete the sheet', '.tabs summary', true],
  ['Add a sheet', '.tabs > button', true],
  ['Branch from here', '.branch .of-new', true],
  ['All branches: restore or delete one', '.branch .of-all', false],
];

/** Offers the actions of bars and menus in the palette. */
export function usePaletteEntries(parts: OfferedParts): void {
  const { offer } = useShell();
  const latest = useRef(parts);
  latest.current = parts;
  const isLocked = parts.session.lockedBecause !== undefined;
  useEffect(() => {
    offer(entriesOf(latest, isLocked));
    return () => offer([]);
  }, [parts.session, isLocked]);
}

type Latest = { readonly current: OfferedParts };

function entriesOf(latest: Latest, isLocked: boolean): readonly Entry[] {
  const entry = (label: string, run: () => void, keys?: string): Entry => ({
    kind: 'command',
    label,
    run,
    ...(keys !== undefined && { keys }),
  });
  const commands = sheetCommands
    .filter(({ isReading }) => !isLocked || isReading === true)
    .map((command) =>
      entry(
        command.label,
        () => {
          const { session, selection, onOpen, onClose } = latest.current;
          if (command.panel) return onOpen(command.panel);
          void runCommand(command, placeOf(session, selection));
          onClose();
        },
        command.keys,
      ),
    );
  const opened = panels
    .filter(([, panel]) => !isLocked || readingPanels.includes(panel))
    .map(([label, panel, keys]) => entry(label, () => latest.current.onOpen(panel), keys));
  const files = exports.map(([label, format]) =>
    entry(label, () => void exportFile(latest.current.session, format)),
  );
  const led = controls
    .filter(([, , isWriting]) => !isLocked || !isWriting)
    .map(([label, selector]) => entry(label, () => press(selector)));
  return [...commands, ...opened, ...files, ...led];
}

/** Presses a button, or goes into a field. */
function press(selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
  else found?.click();
}
