import { CHUNK_ROWS } from '../abi';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';

/**
 * Registers of the batch interpreter, with one value, a **lane**, for each row of a batch. Lanes
 * are doubles. A lane that is not finite has no number (an error, an unexpected text, a pending
 * cell); whatever is computed from it is not finite either, and its row is left to the scalar
 * machine.
 */
@unmanaged
export class Register {
  /** Value that all lanes share, stored twice, so that a pair of lanes can be read here. */
  low: f64 = 0;
  high: f64 = 0;
  /** Address of the lanes: values of a column, the buffer, or the shared value. */
  lanes: u32 = 0;
  /** Bytes from two lanes to the next two: 16, or 0 if all lanes share one value. */
  step: u32 = 0;
  /** LANES_* type. */
  type: u32 = 0;
  /** 1 if some lane may be a blank cell, which is 0 here. */
  hasBlank: u32 = 0;
  /**
   * 1 if the values are found row by row (recurrence.ts): `lanes` is then the address of the first,
   * and `step` the bytes to the next row.
   */
  isStepped: u32 = 0;
  /** Address of the register's own lanes. */
  buffer: u32 = 0;
  /** Reference record of LANES_REFERENCE. */
  record: u32 = 0;
}

export const LANES_NUMBER: u32 = 0;
/** Lanes with 0 and 1. */
export const LANES_BOOLEAN: u32 = 1;
/** Lanes with addresses of interned texts, which only literals have. */
export const LANES_TEXT: u32 = 2;
/** A cell or range that has not been read. */
export const LANES_REFERENCE: u32 = 3;

export const LANE_PAIR_BYTES: usize = 16;
const REGISTER_BYTES: u32 = 48;
/** Lanes are read and written two at a time, so the last pair may be half beyond the end. */
const BUFFER_BYTES: u32 = CHUNK_ROWS * 8 + <u32>LANE_PAIR_BYTES;
const REGISTER_COUNT: u32 = 15;

let registers: usize = 0;
/** Number of registers in use. */
export let depth: u32 = 0;
/** Number of lanes of the current batch. */
export let laneCount: u32 = 0;

/** Takes registers from scratch, which is reset after the batch. */
export function openRegisters(count: u32): void {
  registers = scratch((REGISTER_COUNT + 1) * REGISTER_BYTES);
  const buffers = scratch((REGISTER_COUNT + 1) * BUFFER_BYTES);
  for (let index: u32 = 0; index <= REGISTER_COUNT; index++) {
    registerAt(index).buffer = <u32>buffers + index * BUFFER_BYTES;
  }
  depth = 0;
  laneCount = count;
}

export function registerAt(index: u32): Register {
  return at<Register>(registers + <usize>index * REGISTER_BYTES);
}

/** Returns whether a free register is left. */
export function canPush(): bool {
  return depth < REGISTER_COUNT;
}

/** Takes the next register into use; call `canPush` before. */
export function pushRegister(): Register {
  const register = registerAt(depth++);
  register.type = LANES_NUMBER;
  register.hasBlank = 0;
  register.isStepped = 0;
  return register;
}

/** Returns a register beside the others, for results in between. */
export function spareRegister(): Register {
  const register = registerAt(REGISTER_COUNT);
  register.isStepped = 0;
  return register;
}

/** Frees all registers but the first `count`. */
export function keepRegisters(count: u32): void {
  depth = count;
}

/** Gives all lanes one value. */
export function setUniform(register: Register, value: f64): void {
  register.low = value;
  register.high = value;
  register.lanes = <u32>addressOf(register);
  register.step = 0;
}

/** Uses the register's own lanes, and returns their address for writing. */
export function ownLanes(register: Register): usize {
  register.lanes = register.buffer;
  register.step = <u32>LANE_PAIR_BYTES;
  return register.buffer;
}

/** Gives a register a new buffer, because its lanes in the old one are still used. */
export function giveBuffer(register: Register): void {
  if (register.lanes == register.buffer) register.buffer = <u32>scratch(BUFFER_BYTES);
}

/** Uses lanes at another address, which are only read. */
export function setLanes(register: Register, lanes: usize): void {
  register.lanes = <u32>lanes;
  register.step = <u32>LANE_PAIR_BYTES;
}

export function laneOf(register: Register, index: u32): f64 {
  if (!register.step) return register.low;
  return load<f64>(<usize>register.lanes + ((<usize>index) << 3));
}

/** Returns the lanes to which an operation on `register` and others writes its result. */
export function resultLanes(register: Register, isUniform: bool): usize {
  return isUniform ? addressOf(register) : register.buffer;
}

/** Returns the bytes that an operation writes: whole pairs of lanes. */
export function resultBytes(isUniform: bool): usize {
  return isUniform ? LANE_PAIR_BYTES : (<usize>((laneCount + 1) & ~1)) << 3;
}

/** Makes the lanes that were written the value of the register. */
export function setResult(register: Register, isUniform: bool, type: u32): void {
  register.lanes = <u32>resultLanes(register, isUniform);
  register.step = isUniform ? 0 : <u32>LANE_PAIR_BYTES;
  register.type = type;
  register.hasBlank = 0;
}
