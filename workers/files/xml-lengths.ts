import { fileLimits } from './file-limits.ts';
import { brokenFile } from './file-problem.ts';

/** Beginnings and ends of constructs for which the parser has no event. */
const untold = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/**
 * Measures the parts of an XML document: each tag, text, comment and instruction, and all text
 * between two tags together. The result does not depend on how the document is cut into pieces.
 * Positions and lengths are UTF-16 units from the start, before entities are resolved.
 */
export class XmlLengths {
  readonly #part: string;
  /** Text since the start of the current token. */
  #fed = '';
  /** Position where `#fed` begins. */
  #fedFrom = 0;
  /** Position where the current token begins. */
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

  /** Notes that a tag ends at this position. */
  endTag(position: number): void {
    this.#end(position);
    this.#textUnits = 0;
  }

  /**
   * Notes that a text ends at this position, which has so many units after entities are resolved.
   */
  endText(position: number, units: number): void {
    this.#end(position);
    this.#textUnits += units;
    if (this.#textUnits > fileLimits.xmlElementCharacters) throw this.#tooLong();
  }

  /** Checks the open token, after the parser has read all pieces. */
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

  /** Moves the start past comments and instructions that end before the position. */
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
