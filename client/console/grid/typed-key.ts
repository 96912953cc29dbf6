/** A key event, as far as it can be repeated later. */
export type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
>;

export function pressedOf(event: Pressed): Pressed {
  const { code, shiftKey, ctrlKey, metaKey, altKey } = event;
  return { key: commandKey(event), code, shiftKey, ctrlKey, metaKey, altKey };
}

/**
 * Returns the key of a command on any layout: digits and the grave accent go by the place of their
 * key, and so do letters where the layout has other ones than Latin.
 */
export function commandKey(pressed: Pressed): string {
  const { key, code, ctrlKey, metaKey, altKey } = pressed;
  // Ctrl with Alt is AltGr, which types signs.
  const isCommand = metaKey || (ctrlKey && !altKey);
  if (!isCommand || /^[+\-=_]$/u.test(key)) return key;
  if (code === 'Backquote') return '`';
  return /^Digit(\d)$/u.exec(code)?.[1] ?? latinKey(pressed);
}

/** Returns a key, or the Latin letter at its place where the layout has another sign there. */
export function latinKey({ key, code, shiftKey }: Omit<Pressed, 'ctrlKey' | 'metaKey'>): string {
  const letter = /^Key([A-Z])$/u.exec(code)?.[1];
  if (letter === undefined || !/^[^\u0000-\u007F]$/u.test(key)) return key;
  return shiftKey ? letter : letter.toLowerCase();
}

/** Returns the character that a key types; empty for commands. */
export function characterOf({ key, ctrlKey, metaKey, altKey }: Pressed): string {
  // AltGr, which types characters, is reported as Ctrl and Alt.
  const isCommand = (ctrlKey || metaKey) && !altKey;
  return !isCommand && /^[^]$/u.test(key) ? key : '';
}

/** Changes a field as the browser would for a pressed key. */
export function typeInto(field: HTMLTextAreaElement, pressed: Pressed): void {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const text = characterOf(pressed);
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: start - 1,
    ArrowRight: end + 1,
    Home: 0,
    End: value.length,
  };
  const place = moves[pressed.key];
  if (text !== '') field.setRangeText(text, start, end, 'end');
  else if (pressed.key === 'Backspace')
    field.setRangeText('', start === end ? Math.max(0, start - 1) : start, end, 'end');
  else if (pressed.key === 'Delete')
    field.setRangeText('', start, start === end ? end + 1 : end, 'end');
  else if (place === undefined) return;
  else field.setSelectionRange(Math.max(0, place), Math.max(0, place));
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
