import { useEffect, useRef } from 'preact/hooks';

import { browserTexts } from '../browser-storage.ts';
import { latinKey } from '../grid/typed-key.ts';

const storageKey = 'quire.letters';

/** Returns whether letters alone are commands in this browser (WCAG 2.2, 2.1.4). */
export function areLettersCommands(): boolean {
  return browserTexts.getItem(storageKey) !== 'off';
}

export function setLettersCommands(areCommands: boolean): void {
  if (areCommands) browserTexts.removeItem(storageKey);
  else browserTexts.setItem(storageKey, 'off');
}

const asked = new WeakSet<KeyboardEvent>();

/** Does what a letter alone does, also where letters alone are no commands. */
export function pressLetter(key: string): void {
  const event = new KeyboardEvent('keydown', { key });
  asked.add(event);
  window.dispatchEvent(event);
}

/** Returns whether a key may be a command: it is not typed into a field, and not the browser's. */
function isCommandKey(event: KeyboardEvent): boolean {
  if (asked.has(event)) return true;
  const { target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || !areLettersCommands()) return false;
  return !(target instanceof HTMLElement) || target.closest('input, textarea, select') === null;
}

/** Listens for letters outside of fields; each acts on what is shown by then. */
export function useCommandKeys(take: (key: string) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isCommandKey(event)) latest.current(latinKey(event));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
