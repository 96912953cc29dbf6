import { dropText, internUnits } from '../memory/text';
import { bytesIn, emptyBuffer, newBuffer, pushWord, wordAt } from './buffer';

/** Interned texts of the records that the lexer made; a template takes hold of its own. */
let texts: usize = 0;

export function openWords(): void {
  texts = newBuffer(64);
}

/** The interned text of some units, for a record. */
export function internWord(start: usize, count: u32): u32 {
  const text = <u32>internUnits(start, count);
  pushWord(texts, text);
  return text;
}

/** Ends the use of what was lexed last. */
export function dropWords(): void {
  const count = bytesIn(texts) >> 2;
  for (let index: u32 = 0; index < count; index++) dropText(wordAt(texts, index));
  emptyBuffer(texts);
}
