/** Returns whether a key may be a command: it is typed into no field, and is none of the browser's. */
export function isCommandKey({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  return !(target instanceof HTMLElement) || target.closest('input, textarea, select') === null;
}
