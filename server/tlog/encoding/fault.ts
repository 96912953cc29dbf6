/** The given text or bytes are not in the one form that their format allows. */
export class FormatFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FormatFault';
  }
}

/** The given proof can be read, and does not prove what it should. */
export class ProofFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProofFault';
  }
}

const shownCharacters = 60;

/** Foreign text for a message: short, quoted, on one line. */
export function quote(text: string): string {
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return JSON.stringify(shown);
}
