const storageKey = 'quire.letters';

/** Returns whether letters alone are commands in this browser (WCAG 2.2, 2.1.4). */
export function areLettersCommands(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function setLettersCommands(areCommands: boolean): void {
  if (areCommands) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}

/** Returns whether a key may be a command: it is not typed into a field, and not the browser's. */
export function isCommandKey({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !areLettersCommands()) return false;
  return !(target instanceof HTMLElement) || target.closest('input, textarea, select') === null;
}
