/**
 * Returns whether two formulas in R1C1 differ in more than references, and so wherever they stand.
 * Nothing is said of those that name sheets, which may be called otherwise by now.
 */
export function sayOther(a: string, b: string): boolean {
  if (a === b || sayAlike(a, b)) return false;
  return !namesSheet(a) && !namesSheet(b);
}

/** Compares what is left of two texts without references. */
function sayAlike(a: string, b: string): boolean {
  let at = pastReferences(a, 0);
  let other = pastReferences(b, 0);
  while (at < a.length && other < b.length) {
    if (a.charCodeAt(at) !== b.charCodeAt(other)) return false;
    at = pastReferences(a, at + 1);
    other = pastReferences(b, other + 1);
  }
  return at === a.length && other === b.length;
}

/** Returns whether a text has an exclamation mark that is not that of `#REF!`. */
function namesSheet(text: string): boolean {
  for (let at = pastReferences(text, 0); at < text.length; at = pastReferences(text, at + 1)) {
    if (text.charCodeAt(at) === exclamation) return true;
  }
  return false;
}

function code(character: string): number {
  return character.charCodeAt(0);
}

const lostReference = '#REF!';

/**
 * Returns the index behind the references at an index: as R1C1 spells them, whole rows and columns
 * too, and what is between two of a range. Letters of names go along, in every formula alike.
 */
function pastReferences(text: string, from: number): number {
  let at = from;
  for (;;) {
    const next = text.charCodeAt(at);
    if (next === rowLetter || next === columnLetter) at = pastDistance(text, at + 1);
    else if (next === colon || next === point) at++;
    else if (next === hash && text.startsWith(lostReference, at)) at += lostReference.length;
    else return at;
  }
}

const [rowLetter, columnLetter] = [code('R'), code('C')];
const [colon, point, hash, exclamation] = [code(':'), code('.'), code('#'), code('!')];
const [zero, nine] = [code('0'), code('9')];
const [opening, closing, minus] = [code('['), code(']'), code('-')];

/** Returns the index behind `[-12]`, `12` or nothing. */
function pastDistance(text: string, from: number): number {
  if (text.charCodeAt(from) !== opening) return pastDigits(text, from);
  const first = text.charCodeAt(from + 1) === minus ? from + 2 : from + 1;
  const end = pastDigits(text, first);
  const isWhole = end > first && text.charCodeAt(end) === closing;
  return isWhole ? end + 1 : from;
}

function pastDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(character: number): boolean {
  return character >= zero && character <= nine;
}
