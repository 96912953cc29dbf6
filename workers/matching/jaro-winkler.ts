const prefixMost = 4;
const prefixWeight = 0.1;
const unitsMost = 64;

const usedA = new Uint8Array(unitsMost);
const usedB = new Uint8Array(unitsMost);

/** A part of a text, from one UTF-16 unit up to another. */
export interface Units {
  readonly units: Uint16Array;
  readonly start: number;
  readonly end: number;
}

/** Returns the similarity of two words, from 0 to 1; only their first 64 units count. */
export function jaroWinkler(a: Units, b: Units): number {
  const [lengthA, lengthB] = [
    Math.min(unitsMost, a.end - a.start),
    Math.min(unitsMost, b.end - b.start),
  ];
  if (lengthA === 0 || lengthB === 0) return 0;
  const common = markCommon(a, b, lengthA, lengthB);
  if (common === 0) return 0;
  let transposed = 0;
  for (let i = 0, j = 0; i < lengthA; i++) {
    if (usedA[i] === 0) continue;
    while (usedB[j] === 0) j++;
    if (a.units[a.start + i] !== b.units[b.start + j]) transposed++;
    j++;
  }
  const jaro =
    (common / lengthA + common / lengthB + (common - Math.floor(transposed / 2)) / common) / 3;
  let prefix = 0;
  const most = Math.min(prefixMost, lengthA, lengthB);
  while (prefix < most && a.units[a.start + prefix] === b.units[b.start + prefix]) prefix++;
  return jaro + prefix * prefixWeight * (1 - jaro);
}

function markCommon(a: Units, b: Units, lengthA: number, lengthB: number): number {
  usedA.fill(0, 0, lengthA);
  usedB.fill(0, 0, lengthB);
  const reach = Math.max(0, Math.floor(Math.max(lengthA, lengthB) / 2) - 1);
  let common = 0;
  for (let i = 0; i < lengthA; i++) {
    const unit = a.units[a.start + i];
    const last = Math.min(lengthB - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      if (usedB[j] !== 0 || b.units[b.start + j] !== unit) continue;
      usedA[i] = 1;
      usedB[j] = 1;
      common++;
      break;
    }
  }
  return common;
}
