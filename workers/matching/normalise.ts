/** Letters that NFKD leaves as they are, and what people type in their place. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  '&': ' and ',
};

const plain = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/** Words of lower-case letters and digits with single spaces between them; empty for nothing. */
export function normalise(text: string): string {
  if (plain.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßøłđæœı&]/gu, (letter) => letters[letter] ?? letter)
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** With `normalise: "none"`: as it stands, but for the spaces around it. */
export function trimmed(text: string): string {
  return text.trim();
}
