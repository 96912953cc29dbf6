const formats: Readonly<Record<string, string>> = {
  TODAY: 'm/d/yyyy',
  DATE: 'm/d/yyyy',
  NOW: 'm/d/yyyy h:mm',
  TIME: 'h:mm AM/PM',
};

const call = /^=\s*(TODAY|NOW|DATE|TIME)\s*(\(.*\))\s*$/isu;

/**
 * Returns the number format that Excel gives to a General cell with a formula that is a date or a
 * time: one call of TODAY, NOW, DATE or TIME. Undefined for all others.
 */
export function momentFormat(formula: string): string | undefined {
  const [, name = '', brackets = ''] = call.exec(formula) ?? [];
  return isOnePair(brackets) ? formats[name.toUpperCase()] : undefined;
}

/** Returns whether the last bracket closes the first one; those in texts do not count. */
function isOnePair(text: string): boolean {
  const signs = text.replaceAll(/"[^"]*"|'[^']*'|[^()"']/gu, '');
  let depth = 0;
  for (let at = 0; at < signs.length; at++) {
    depth += signs.charAt(at) === '(' ? 1 : -1;
    if (depth === 0) return at === signs.length - 1;
  }
  return false;
}
