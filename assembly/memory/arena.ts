import { at } from './pointer';

/**
 * Allocator of a model. Its state is in the memory itself, because several instances (one for each
 * thread) share one memory and wasm globals belong to an instance. Only one instance works at a
 * time, so nothing here is atomic. Blocks have no header: callers know the size of a block that
 * they free. Sizes are rounded to four steps for each doubling, so at most a fifth is lost, and
 * every freed block serves the next one of its class.
 */
@unmanaged
class Arena {
  /** End of the space handed out so far. */
  top: u32 = 0;
  /** Bytes in use, for eval-stats. */
  usedBytes: u32 = 0;
}

const CLASS_COUNT: i32 = 128;

/** Address of the arena's record, right behind the module's static data. */
const ARENA: usize = (__heap_base + 15) & ~15;
const FREE_LISTS: usize = ARENA + offsetof<Arena>();
/** First address after the arena's record; the model's root record is here (grid/model.ts). */
export const ROOT: usize = FREE_LISTS + CLASS_COUNT * 4;
const ROOT_BYTES: usize = 1024;

/** Makes an empty arena in a fresh memory. */
export function resetArena(): void {
  memory.fill(ARENA, 0, ROOT + ROOT_BYTES - ARENA);
  at<Arena>(ARENA).top = <u32>(ROOT + ROOT_BYTES);
}

/** The class of a size: four steps between powers of two, from 16 bytes up. */
function classOf(byteCount: u32): i32 {
  if (byteCount <= 16) return 0;
  const power = 31 - clz(byteCount - 1);
  const step = ((byteCount - 1) >> (power - 2)) & 3;
  return ((power - 4) << 2) + <i32>step + 1;
}

function classBytes(index: i32): u32 {
  if (index == 0) return 16;
  const power = 4 + ((index - 1) >> 2);
  const step = <u32>(((index - 1) & 3) + 1);
  return (1 << power) + (1 << (power - 2)) * step;
}

/** Returns the bytes that a block of this size really has. */
export function roundedBytes(byteCount: u32): u32 {
  return classBytes(classOf(byteCount));
}

/** A block of at least `byteCount` bytes, aligned to four (16 from 64 bytes up), not cleared. */
export function allocate(byteCount: u32): usize {
  const index = classOf(byteCount);
  const list = FREE_LISTS + ((<usize>index) << 2);
  const bytes = classBytes(index);
  const arena = at<Arena>(ARENA);
  arena.usedBytes += bytes;
  const head = load<u32>(list);
  if (head) {
    store<u32>(list, load<u32>(head));
    return head;
  }
  const start = (arena.top + 15) & ~15;
  const end = <u64>start + bytes;
  const limit = (<u64>memory.size()) << 16;
  if (end > limit) growTo(end);
  arena.top = <u32>end;
  return start;
}

/** A cleared block. */
export function allocateZeroed(byteCount: u32): usize {
  const block = allocate(byteCount);
  memory.fill(block, 0, byteCount);
  return block;
}

export function release(block: usize, byteCount: u32): void {
  if (!block) return;
  const index = classOf(byteCount);
  const list = FREE_LISTS + ((<usize>index) << 2);
  at<Arena>(ARENA).usedBytes -= classBytes(index);
  store<u32>(block, load<u32>(list));
  store<u32>(list, <u32>block);
}

function growTo(end: u64): void {
  const pages = <i32>((end - ((<u64>memory.size()) << 16) + 0xffff) >> 16);
  // An eighth more than asked, so that a growing model does not grow page by page.
  const generous = max(pages, <i32>(memory.size() >> 3));
  if (memory.grow(generous) >= 0) return;
  // No page is left: a trap makes the model unusable, and the request fails for lack of memory.
  if (memory.grow(pages) < 0) unreachable();
}

export function usedBytes(): u32 {
  return at<Arena>(ARENA).usedBytes;
}
