import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { lowerUnit } from '../memory/text';

/**
 * Local names while a formula is parsed: LET's and LAMBDA's. A lambda has a frame of its own; what
 * it uses from outside is captured, that is, copied into its frame when the lambda is made.
 */
@unmanaged
class Local {
  units: u32 = 0;
  length: u32 = 0;
  /** Lambda depth it belongs to, and its number in that frame. */
  level: u32 = 0;
  slot: u32 = 0;
}

@unmanaged
class Frame {
  /** Locals of this frame, parameters and captures included. */
  slotCount: u32 = 0;
  /** Captures so far, and their list: pairs of (slot in the outer frame, slot here). */
  captureCount: u32 = 0;
  captures: u32 = 0;
}

const LOCAL_BYTES: usize = offsetof<Local>();
const FRAME_BYTES: usize = offsetof<Frame>();
const LOCAL_LIMIT: u32 = 512;
const FRAME_LIMIT: u32 = 66;
const CAPTURE_LIMIT: u32 = 64;

let locals: usize = 0;
let localCount: u32 = 0;
let frames: usize = 0;
/** Lambda depth: 0 is the formula itself. */
let level: u32 = 0;

export function openScopes(): void {
  locals = scratch(LOCAL_LIMIT * <u32>LOCAL_BYTES);
  frames = scratch(FRAME_LIMIT * <u32>FRAME_BYTES);
}

export function closeScopes(): void {
  localCount = 0;
  level = 0;
  resetFrame();
}

function frameAt(index: u32): Frame {
  return at<Frame>(frames + <usize>index * FRAME_BYTES);
}

function localAt(index: u32): Local {
  return at<Local>(locals + <usize>index * LOCAL_BYTES);
}

function resetFrame(): void {
  const frame = frameAt(level);
  frame.slotCount = 0;
  frame.captureCount = 0;
  frame.captures = 0;
}

/** Locals in use, to come back to when a LET or LAMBDA ends. */
export function markLocals(): u32 {
  return localCount;
}

export function dropLocals(mark: u32): void {
  localCount = mark;
}

/** Opens a lambda's frame; returns false when too deep. */
export function enterFrame(): bool {
  if (level + 1 >= FRAME_LIMIT) return false;
  level++;
  resetFrame();
  frameAt(level).captures = <u32>scratch(CAPTURE_LIMIT * 8);
  return true;
}

export function leaveFrame(): void {
  level--;
}

/** A new local of the innermost frame; -1 when there are too many. */
export function declareLocal(units: u32, length: u32): i32 {
  if (localCount >= LOCAL_LIMIT) return -1;
  const slot = frameAt(level).slotCount++;
  const local = localAt(localCount++);
  local.units = units;
  local.length = length;
  local.level = level;
  local.slot = slot;
  return <i32>slot;
}

export function slotCount(): u32 {
  return frameAt(level).slotCount;
}

export function captureCount(): u32 {
  return frameAt(level).captureCount;
}

/** Capture `index` of the innermost frame: its slot in the frame outside. */
export function captureSource(index: u32): u32 {
  return load<u32>(<usize>frameAt(level).captures + ((<usize>index) << 3));
}

export function captureTarget(index: u32): u32 {
  return load<u32>(<usize>frameAt(level).captures + ((<usize>index) << 3), 4);
}

/** Slot of a local in the innermost frame, captured through all frames between; -1 if none. */
export function findLocal(units: u32, length: u32): i32 {
  for (let index = <i32>localCount - 1; index >= 0; index--) {
    const local = localAt(index);
    if (local.length == length && sameWord(local.units, units, length)) {
      return slotAt(level, local);
    }
  }
  return -1;
}

/** Returns whether the LET or LAMBDA whose locals begin at `mark` has declared the name already. */
export function isDeclaredSince(mark: u32, units: u32, length: u32): bool {
  for (let index = mark; index < localCount; index++) {
    const local = localAt(index);
    if (local.length == length && sameWord(local.units, units, length)) return true;
  }
  return false;
}

function sameWord(left: usize, right: usize, length: u32): bool {
  for (let index: u32 = 0; index < length; index++) {
    const offset = (<usize>index) << 1;
    if (lowerUnit(load<u16>(left + offset)) != lowerUnit(load<u16>(right + offset))) return false;
  }
  return true;
}

/** The slot of a local as seen from a frame; captures it on the way when it lies outside. */
function slotAt(from: u32, local: Local): i32 {
  if (local.level == from) return <i32>local.slot;
  const outer = slotAt(from - 1, local);
  if (outer < 0) return -1;
  const frame = frameAt(from);
  for (let index: u32 = 0; index < frame.captureCount; index++) {
    const pair = <usize>frame.captures + ((<usize>index) << 3);
    if (load<u32>(pair) == <u32>outer) return <i32>load<u32>(pair, 4);
  }
  if (frame.captureCount >= CAPTURE_LIMIT) return -1;
  const pair = <usize>frame.captures + ((<usize>frame.captureCount) << 3);
  const slot = frame.slotCount;
  store<u32>(pair, <u32>outer);
  store<u32>(pair, slot, 4);
  frame.captureCount++;
  frame.slotCount = slot + 1;
  return <i32>slot;
}
