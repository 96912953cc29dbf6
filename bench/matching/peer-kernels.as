// The likeness of words in AssemblyScript. Only the bench has it: texts lie outside of the memory of the kernel.
// All addresses are in the memory that is given.

const MOST: i32 = 64;
const usedA = memory.data(64);
const usedB = memory.data(64);

export function jaroWinkler(a: usize, wholeA: i32, b: usize, wholeB: i32): f64 {
  const lengthA = min(MOST, wholeA);
  const lengthB = min(MOST, wholeB);
  if (lengthA == 0 || lengthB == 0) return 0;
  memory.fill(usedA, 0, lengthA);
  memory.fill(usedB, 0, lengthB);
  const reach = max(0, max(lengthA, lengthB) / 2 - 1);
  let common = 0;
  for (let i = 0; i < lengthA; i++) {
    const unit = load<u16>(a + (<usize>i << 1));
    const last = min(lengthB - 1, i + reach);
    for (let j = max(0, i - reach); j <= last; j++) {
      if (load<u8>(usedB + j) != 0 || load<u16>(b + (<usize>j << 1)) != unit) continue;
      store<u8>(usedA + i, 1);
      store<u8>(usedB + j, 1);
      common++;
      break;
    }
  }
  if (common == 0) return 0;
  let transposed = 0;
  for (let i = 0, j = 0; i < lengthA; i++) {
    if (load<u8>(usedA + i) == 0) continue;
    while (load<u8>(usedB + j) == 0) j++;
    if (load<u16>(a + (<usize>i << 1)) != load<u16>(b + (<usize>j << 1))) transposed++;
    j++;
  }
  const share = <f64>common;
  const jaro = (share / <f64>lengthA + share / <f64>lengthB + (share - <f64>(transposed / 2)) / share) / 3;
  let prefix = 0;
  const most = min(4, min(lengthA, lengthB));
  while (prefix < most && load<u16>(a + (<usize>prefix << 1)) == load<u16>(b + (<usize>prefix << 1))) prefix++;
  return jaro + <f64>prefix * 0.1 * (1 - jaro);
}
