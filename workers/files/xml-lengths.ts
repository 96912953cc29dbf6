import { fileLimits } from './file-limits.ts';
import { brokenFile } from './file-problem.ts';

/** Starts and ends of parts that the parser reads without an event. */
const untold = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/**
 * Measures what an XML part is made of: each tag, text, comment and instruction by itself, and all
 * text between two tags together. The same document is measured alike however it is cut into
 * pieces. Positions and lengths are UTF-16 units from the start of the part, before entities are
 * resolved.
 */
export class XmlLengths {
  readonly #part: string;
  /** Text that was fed since the last token began, which is where the parser stands or before. */
  #fed = '';
  /** Where `#fed` begins. */
  #fedFrom = 0;
  /** Where the token begins that the parser is in. */
  #start = 0;
  #textUnits = 0;

  constructor(part: string) {
    this.#part = part;
  }

  /** Takes the next piece, before the parser reads it. */
  feed(piece: string): void {
    this.#fed = this.#fed.slice(this.#start - this.#fedFrom) + piece;
    this.#fedFrom = this.#start;
  }

  /** A tag ends at this position. */
  endTag(position: number): void {
    this.#end(position);
    this.#textUnits = 0;
  }

  /** A text ends at this position; the parser resolved it to so many units. */
  endText(position: number, units: number): void {
    this.#end(position);
    this.#textUnits += units;
    if (this.#textUnits > fileLimits.xmlElementCharacters) throw this.#tooLong();
  }

  /** The parser has read all that was fed. */
  checkFed(): void {
    this.#check(this.#fedFrom + this.#fed.length);
  }

  #check(position: number): void {
    if (position - this.#start <= fileLimits.xmlElementCharacters) return;
    this.#skipUntold(position);
    if (position - this.#start > fileLimits.xmlElementCharacters) throw this.#tooLong();
  }

  #end(position: number): void {
    this.#check(position);
    this.#start = position;
  }

  /** Moves the start past the comments and instructions that end before the position. */
  #skipUntold(position: number): void {
    for (;;) {
      const from = this.#start - this.#fedFrom;
      const marks = untold.find(([open]) => this.#fed.startsWith(open, from));
      if (marks === undefined) return;
      const [open, close] = marks;
      const at = this.#fed.indexOf(close, from + open.length);
      const end = this.#fedFrom + at + close.length;
      if (at === -1 || end > position) return;
      if (end - this.#start > fileLimits.xmlElementCharacters) throw this.#tooLong();
      this.#start = end;
    }
  }

  #tooLong(): Error {
    return brokenFile(`${this.#part} has an element that is too long`);
  }
}
