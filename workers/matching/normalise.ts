/** Letters that NFKD does not decompose, and what people type for them. */
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

/** Returns words of lower-case letters and digits with single spaces; empty if nothing remains. */
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

/** Returns the text for `normalise: "none"`: only blanks around it are removed. */
export function trimmed(text: string): string {
  return text.trim();
}
