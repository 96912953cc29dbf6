import { scratch, shrinkScratch } from '../memory/scratch';

/**
 * One natural number of up to 5,120 bits in scratch, for exact conversion between decimal and
 * binary. There is one at a time: open it, compute, close it before anything else takes scratch.
 */
const LIMB_LIMIT: u32 = 160;

let limbs: usize = 0;
let limbCount: u32 = 0;

export function openNatural(value: u64): void {
  limbs = scratch(LIMB_LIMIT << 2);
  store<u64>(limbs, value);
  limbCount = value >> 32 ? 2 : value ? 1 : 0;
}

export function closeNatural(): void {
  shrinkScratch(limbs, 0);
}

/** Multiplies by `factor` and adds `addend`. */
export function multiplyNatural(factor: u32, addend: u32): void {
  let carry: u64 = addend;
  for (let index: u32 = 0; index < limbCount; index++) {
    const place = limbs + ((<usize>index) << 2);
    carry += <u64>load<u32>(place) * factor;
    store<u32>(place, <u32>carry);
    carry >>= 32;
  }
  if (carry) {
    store<u32>(limbs + ((<usize>limbCount) << 2), <u32>carry);
    limbCount++;
  }
}

/** Divides by `divisor` and answers the remainder. */
function divideNatural(divisor: u32): u32 {
  let rest: u64 = 0;
  for (let index = limbCount; index; index--) {
    const place = limbs + ((<usize>(index - 1)) << 2);
    rest = (rest << 32) | load<u32>(place);
    store<u32>(place, <u32>(rest / divisor));
    rest %= divisor;
  }
  while (limbCount && !load<u32>(limbs + ((<usize>(limbCount - 1)) << 2))) limbCount--;
  return <u32>rest;
}

/** Multiplies by a power of five. */
export function multiplyByFives(count: u32): void {
  while (count >= 13) {
    multiplyNatural(1220703125, 0);
    count -= 13;
  }
  while (count) {
    multiplyNatural(5, 0);
    count--;
  }
}

/** Divides by a power of five; true when nothing was left over. */
export function divideByFives(count: u32): bool {
  let rest: u32 = 0;
  while (count >= 13) {
    rest |= divideNatural(1220703125);
    count -= 13;
  }
  while (count) {
    rest |= divideNatural(5);
    count--;
  }
  return rest == 0;
}

export function shiftNaturalLeft(bits: u32): void {
  const words = bits >> 5;
  const rest = bits & 31;
  if (!limbCount) return;
  memory.copy(limbs + ((<usize>words) << 2), limbs, (<usize>limbCount) << 2);
  memory.fill(limbs, 0, (<usize>words) << 2);
  limbCount += words;
  if (rest) multiplyNatural(1 << rest, 0);
}

export function naturalBits(): u32 {
  if (!limbCount) return 0;
  return (limbCount << 5) - clz(load<u32>(limbs + ((<usize>(limbCount - 1)) << 2)));
}

/** 64 bits from bit `start` on, bits beyond the number being 0. */
export function naturalWindow(start: u32): u64 {
  const word = start >> 5;
  const rest = <u64>(start & 31);
  const low = limb(word) | (limb(word + 1) << 32);
  return rest ? (low >> rest) | (limb(word + 2) << (64 - rest)) : low;
}

function limb(index: u32): u64 {
  return index < limbCount ? <u64>load<u32>(limbs + ((<usize>index) << 2)) : 0;
}

/** Returns whether any bit below `end` is set. */
export function anyBitBelow(end: u32): bool {
  const words = min(end >> 5, limbCount);
  for (let index: u32 = 0; index < words; index++) {
    if (load<u32>(limbs + ((<usize>index) << 2))) return true;
  }
  const rest = end & 31;
  return rest != 0 && (limb(end >> 5) & (((<u64>1) << rest) - 1)) != 0;
}
