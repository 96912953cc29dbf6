import type { Scale } from './scale.ts';

const bits = 4;
const slotCount = 1 << bits;
/** Bytes of an array, and of each of its elements. */
const arrayBytes = 40;
const elementBytes = 8;

type Slots = readonly (Slots | number | undefined)[];

/** Whole numbers by index, immutable: a copy with one number set shares all but one path. */
export class NumberList {
  readonly #slots: Slots;
  /** Bits by which the index is shifted at the root. */
  readonly #shift: number;

  private constructor(slots: Slots, shift: number) {
    this.#slots = slots;
    this.#shift = shift;
  }

  static readonly empty = new NumberList([], 0);

  get(index: number): number | undefined {
    let slots = this.#slots;
    if (index >>> this.#shift >= slotCount) return undefined;
    for (let shift = this.#shift; shift > 0; shift -= bits) {
      const slot = slots[(index >>> shift) & (slotCount - 1)];
      if (typeof slot !== 'object') return undefined;
      slots = slot;
    }
    const slot = slots[index & (slotCount - 1)];
    return typeof slot === 'number' ? slot : undefined;
  }

  with(index: number, value: number): NumberList {
    let slots = this.#slots;
    let shift = this.#shift;
    for (; index >>> shift >= slotCount; shift += bits) slots = [slots];
    return new NumberList(withSet(slots, shift, index, value), shift);
  }

  /** Adds the list to the memory accounting. */
  weigh(scale: Scale): void {
    weighSlots(this.#slots, scale);
  }
}

function weighSlots(slots: Slots, scale: Scale): void {
  if (!scale.isNew(slots)) return;
  scale.add(arrayBytes + slots.length * elementBytes);
  for (const slot of slots) if (typeof slot === 'object') weighSlots(slot, scale);
}

function withSet(slots: Slots, shift: number, index: number, value: number): Slots {
  const at = (index >>> shift) & (slotCount - 1);
  const copy = slots.slice();
  while (copy.length < at) copy.push(undefined);
  if (shift === 0) {
    copy[at] = value;
  } else {
    const slot = slots[at];
    copy[at] = withSet(typeof slot === 'object' ? slot : [], shift - bits, index, value);
  }
  return copy;
}
