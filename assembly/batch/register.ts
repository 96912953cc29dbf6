import { CHUNK_ROWS } from '../abi';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';

/**
 * Registers of the batch interpreter: one value for each row of a batch, a **lane** each. Lanes
 * are doubles; a lane that is not finite has no number (an error, a text where none is meant, a
 * cell out of date), and whatever is made of it is not finite either: its row is left to the
 * scalar machine.
 */
@unmanaged
export class Register {
  /** A value that all lanes have, stored twice, so that a pair of lanes can be read here. */
  low: f64 = 0;
  high: f64 = 0;
  /** Address of the lanes: a column's own values, the buffer, or the value that all have. */
  lanes: u32 = 0;
  /** Bytes from two lanes to the next two: 16, or 0 when all have one value. */
  step: u32 = 0;
  /** LANES_*. */
  type: u32 = 0;
  /** Some lane may be a blank cell, which here is 0. */
  hasBlank: u32 = 0;
  /**
   * Its values are found row by row (recurrence.ts): `lanes` is where the first one is or will
   * be, and `step` bytes from row to row.
   */
  isStepped: u32 = 0;
  /** Room for lanes of its own. */
  buffer: u32 = 0;
  /** The reference record, of LANES_REFERENCE. */
  record: u32 = 0;
}

export const LANES_NUMBER: u32 = 0;
/** 0 and 1. */
export const LANES_BOOLEAN: u32 = 1;
/** Addresses of interned texts, which literals alone can be. */
export const LANES_TEXT: u32 = 2;
/** A cell or range that was not read yet. */
export const LANES_REFERENCE: u32 = 3;

export const LANE_PAIR_BYTES: usize = 16;
const REGISTER_BYTES: u32 = 48;
/** Lanes are read and written two at a time, so the last pair may be half beyond the end. */
const BUFFER_BYTES: u32 = CHUNK_ROWS * 8 + <u32>LANE_PAIR_BYTES;
const REGISTER_COUNT: u32 = 15;

let registers: usize = 0;
/** How many are in use. */
export let depth: u32 = 0;
/** Lanes of the present batch. */
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

/** The next register, in use from now on; to be asked for after `canPush`. */
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

/** Only the first `count` are in use from now on. */
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

/** Has lanes of its own, to be written. */
export function ownLanes(register: Register): usize {
  register.lanes = register.buffer;
  register.step = <u32>LANE_PAIR_BYTES;
  return register.buffer;
}

/** Gives a register a new buffer, because its lanes in the old one stay in use. */
export function giveBuffer(register: Register): void {
  if (register.lanes == register.buffer) register.buffer = <u32>scratch(BUFFER_BYTES);
}

/** Lanes that lie elsewhere and are only read. */
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
