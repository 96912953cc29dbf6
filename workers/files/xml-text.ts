const escapeSequence = /_x([0-9a-fA-F]{4})_/g;

// U+0000 and half of a surrogate pair.
const noCharacter = /\0|\p{Surrogate}/gu;

/**
 * Decodes ST_Xstring escapes: `_x000D_` is a carriage return, `_x005F_` an underscore. An escaped
 * character that no text of a workbook may have becomes U+FFFD.
 */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return unescaped(text).replace(noCharacter, '\uFFFD');
}

/** Returns whether the text has an escape for a code that is no character. */
export function hasNoCharacter(text: string): boolean {
  return text.includes('_x') && unescaped(text).search(noCharacter) >= 0;
}

function unescaped(text: string): string {
  return text.replace(escapeSequence, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Entry for the list of what an import dropped. */
export const lostCharacters = [
  'characters',
  'U+FFFD stands for U+0000 and for half a pair',
] as const;

// Characters XML cannot hold, a carriage return (XML would make a newline of it), an underscore
// that would start an escape, and a surrogate without its partner.
const needsEscape =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]|_(?=x[0-9a-fA-F]{4}_)|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
};

/** Encodes the text of an element or attribute of type ST_Xstring. */
export function encodeText(text: string): string {
  const escaped = text.replace(needsEscape, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${digits}_`;
  });
  return escapeMarks(escaped);
}

/** Encodes text with XML escapes only, such as a name; characters that XML has not are left out. */
export function escapeXml(text: string): string {
  return escapeMarks(text.replace(needsEscape, (unit) => (unit === '_' ? unit : '')));
}

function escapeMarks(text: string): string {
  return /[&<>"\t\n]/.test(text) ? text.replace(/[&<>"\t\n]/g, (mark) => marks[mark] ?? '') : text;
}
