import type { WorkbookPool } from './sheet-cells.ts';
import { decodeEscapes, hasNoCharacter } from './xml-text.ts';
import { readXml, type XmlConsumer } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/**
 * Collects the text of a string item (`si` or `is`): its plain text, or that of its runs without
 * their fonts. Phonetic runs (`rPh`) repeat the text and are left out.
 */
export class StringItem {
  text = '';
  isRich = false;
  #isInText = false;
  #phoneticDepth = 0;

  open(name: string): void {
    if (name === 't') this.#isInText = this.#phoneticDepth === 0;
    else if (name === 'r') this.isRich = true;
    else if (name === 'rPh') this.#phoneticDepth++;
  }

  take(text: string): void {
    if (this.#isInText) this.text += text;
  }

  close(name: string): void {
    if (name === 't') this.#isInText = false;
    else if (name === 'rPh') this.#phoneticDepth--;
  }

  decoded(): string {
    return decodeEscapes(this.text);
  }

  get losesCharacters(): boolean {
    return hasNoCharacter(this.text);
  }
}

interface StringLosses {
  richCount: number;
  /** Number of strings with characters that no text may have. */
  lostCount: number;
}

/** Reads the shared strings into the pool, from index 0. */
export function readSharedStrings(zip: ZipEntries, part: string, pool: WorkbookPool): StringLosses {
  let item: StringItem | undefined;
  const losses: StringLosses = { richCount: 0, lostCount: 0 };
  const consumer: XmlConsumer = {
    open(name, _attributes, depth) {
      if (depth === 2 && name === 'si') item = new StringItem();
      else item?.open(name);
    },
    text(text) {
      item?.take(text);
    },
    close(name, depth) {
      if (item === undefined) return;
      if (depth > 2) {
        item.close(name);
        return;
      }
      pool.addString(item.decoded());
      if (item.isRich) losses.richCount++;
      if (item.losesCharacters) losses.lostCount++;
      item = undefined;
    },
  };
  readXml(zip, part, consumer);
  return losses;
}
