import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { positionText } from '../address.ts';
import { commandKey, latinKey, type Pressed } from '../grid/typed-key.ts';
import type { Entry } from '../palette/entries.ts';
import { Palette } from '../palette/palette.tsx';
import { useShell } from './context.ts';
import { lazy } from './lazy.tsx';
import { goToRegion } from './regions.ts';

const KeyHelp = lazy(() => import('../palette/key-help.tsx'));

type Overlay = 'palette' | 'keys';

interface Opened {
  readonly overlay: Overlay;
  /** Tells it apart from one that was opened while it was closing. */
  readonly round: number;
}

interface OverlayParts {
  readonly screen: Screen;
  /** Commands of the screen itself. */
  readonly offered: readonly Entry[];
}

/** Palette and key help, with the buttons and keys that open them. */
export function Overlays({ screen, offered }: OverlayParts) {
  const [opened, setOpened] = useState<Opened>();
  const rounds = useRef(0);
  const open = (overlay: Overlay) => setOpened({ overlay, round: ++rounds.current });
  const commands = useCommands(screen, () => open('keys'));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F6') {
        event.preventDefault();
        goToRegion(event.shiftKey);
        return;
      }
      const overlay = overlayOf(event);
      const command = overlay === undefined ? commandOf(event) : undefined;
      const entry = commands.find(({ keys }) => keys === command && command !== undefined);
      if (overlay === undefined && !entry) return;
      event.preventDefault();
      event.stopPropagation();
      if (overlay) open(overlay);
      else entry?.run?.();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [commands]);
  // A dialog reports its closing when another one may be open already.
  const close = () => setOpened((now) => (now?.round === opened?.round ? undefined : now));
  return (
    <>
      <button type="button" class="second" onClick={() => open('palette')}>
        Find <kbd>Ctrl+K</kbd>
      </button>
      <button type="button" class="second of-keyboard" onClick={() => open('keys')}>
        Keys
      </button>
      {opened?.overlay === 'palette' && (
        <Palette key={opened.round} {...{ screen, commands, offered }} onClose={close} />
      )}
      {opened?.overlay === 'keys' && <KeyHelp key={opened.round} onClose={close} />}
    </>
  );
}

function overlayOf(pressed: Pressed): Overlay | undefined {
  const { ctrlKey, metaKey, shiftKey } = pressed;
  if (!ctrlKey && !metaKey) return undefined;
  const letter = commandKey(pressed).toLowerCase();
  if (letter === 'k' || (letter === 'p' && shiftKey)) return 'palette';
  return letter === '/' ? 'keys' : undefined;
}

function commandOf(pressed: Pressed): string | undefined {
  const { altKey, ctrlKey, metaKey } = pressed;
  return altKey && !ctrlKey && !metaKey ? `Alt+${latinKey(pressed).toUpperCase()}` : undefined;
}

function useCommands(screen: Screen, showKeys: () => void): readonly Entry[] {
  const { go, signOut } = useShell();
  return useMemo(() => {
    const command = (label: string, run: () => void, keys?: string): Entry => ({
      kind: 'command',
      label,
      run,
      ...(keys !== undefined && { keys }),
    });
    const everywhere = [
      command('All workbooks', () => go({ name: 'books' })),
      command('Usage', () => go({ name: 'usage' })),
      command('Agents and keys', () => location.assign('/agents')),
      command('Transparency log', () => go({ name: 'log' })),
      command('Help for keys', showKeys, 'Ctrl+/'),
      command('Leave, forget the key', signOut),
    ];
    if (!('book' in screen)) return everywhere;
    const { book } = screen;
    const at = 'at' in screen ? screen.at : { branch: 'main' };
    const to = positionText(at);
    const ofSheet = screen.name === 'sheet' ? [command('History', focusSlider, 'Alt+H')] : [];
    return [
      ...ofSheet,
      command('Compare', () => go({ name: 'diff', book, from: 'main', to }), 'Alt+D'),
      command('Merges', () => go({ name: 'merges', book })),
      command('Tables', () => go({ name: 'tables', book, ...at })),
      command('Matches', () => go({ name: 'matches', book })),
      command('Proof', () => go({ name: 'proof', book, ...at })),
      command('Share, settings', () => go({ name: 'settings', book })),
      command('The cells', () => go({ name: 'sheet', book, at })),
      ...everywhere,
    ];
  }, [screen]);
}

function focusSlider(): void {
  document.querySelector<HTMLElement>('#history')?.focus();
}
