/** The order of texts in the kernel (assembly/values/text-order.ts), for sorting without it. */

/** The signs of ASCII, in the order that Excel's help on sorting lists them. */
const signs = '\'- !"#$%&()*,./:;?@[\\]^_`{|}~+<=>';

/** Letters that Unicode does not take apart into a letter and its accent, each with its letter. */
const bases = new Map(Array.from('ßsæaðdøoþtđdħhıiĳiĸkŀlłlŉnŋnœoŧtſs'.matchAll(/(.)(.)/gu), pair));
const letters = 0x3000;

function pair([, sign = '', base = '']: RegExpExecArray): [string, string] {
  return [sign, base];
}

/** The capital I with a dot of Turkish: another letter than i in comparisons of other languages. */
const dottedI = 'İ';

/** Lower case, each unit by itself: texts that are equal then are equal in a workbook. */
export function foldedText(text: string): string {
  // At the end of a word toLowerCase would make another letter of it.
  const lower = text.replaceAll('Σ', 'σ').toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, at) => foldedUnit(text.charAt(at))).join('');
}

function foldedUnit(unit: string): string {
  return unit === dottedI ? unit : unit.toLowerCase().charAt(0);
}

/** Order of two texts that foldedText made: signs, digits, letters; accents where all else is equal. */
export function compareFoldedTexts(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  let accent = 0;
  for (let at = 0; at < shared; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a === b) continue;
    const gap = placeOf(a) - placeOf(b);
    if (gap !== 0) return gap;
    if (accent === 0) accent = a - b;
  }
  return left.length === right.length ? accent : left.length - right.length;
}

function placeOf(unit: number): number {
  const sign = String.fromCharCode(unit);
  if (/[a-z0-9]/.test(sign)) return letters + unit;
  if (unit < 0x80) return signs.indexOf(sign);
  const isSign = unit < 0xc0 || (unit >= 0x2000 && unit < 0x2c00) || sign === '×' || sign === '÷';
  if (isSign) return unit;
  if (unit >= 0x180) return letters + unit;
  return letters + (bases.get(sign) ?? sign.normalize('NFD').toLowerCase()).charCodeAt(0);
}
