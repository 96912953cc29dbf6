import { sharedUint16, sharedUint32, type PackedTexts } from './shared-arrays.ts';

const firstUnits = 1 << 16;

/** Packs texts that come one after the other. */
export class PackingTexts {
  readonly #ends: Uint32Array;
  #characters = sharedUint16(firstUnits);
  #count = 0;
  #at = 0;

  constructor(textCount: number) {
    this.#ends = sharedUint32(textCount);
  }

  get unitCount(): number {
    return this.#at;
  }

  add(text: string): void {
    const end = this.#at + text.length;
    if (end > this.#characters.length) {
      const longer = sharedUint16(Math.max(end, this.#characters.length * 2));
      longer.set(this.#characters);
      this.#characters = longer;
    }
    for (let at = 0; at < text.length; at++) {
      this.#characters[this.#at + at] = text.charCodeAt(at);
    }
    this.#at = end;
    this.#ends[this.#count++] = end;
  }

  packed(): PackedTexts {
    return { characters: this.#characters, ends: this.#ends };
  }
}
