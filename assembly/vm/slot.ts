import {
  ERROR_NUMBER,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';

/**
 * A slot holds one value of a running formula: eight bytes of payload (a double; or an address, a
 * boolean or an error's number, zero-extended), then the kind in four bytes.
 */
export const SLOT_BYTES: usize = 16;

export function kindOf(slot: usize): u32 {
  return load<u32>(slot, 8);
}

export function numberOf(slot: usize): f64 {
  return load<f64>(slot);
}

/** Address (text, array, reference, lambda), boolean or error number. */
export function wordOf(slot: usize): u32 {
  return load<u32>(slot);
}

export function payloadOf(slot: usize): u64 {
  return load<u64>(slot);
}

export function setSlot(slot: usize, kind: u32, payload: u64): void {
  store<u64>(slot, payload);
  store<u32>(slot, kind, 8);
}

/** Excel knows no smaller numbers: what lies between them and zero is zero. */
export const SMALLEST_NUMBER: f64 = 2.2250738585072014e-308;

/** A number; what is not finite becomes #NUM!, minus zero and denormals are zero. */
export function setNumber(slot: usize, value: f64): void {
  // x - x is NaN for both infinities and NaN.
  if (value - value != 0) {
    setSlot(slot, KIND_ERROR, ERROR_NUMBER);
    return;
  }
  store<f64>(slot, abs(value) < SMALLEST_NUMBER ? 0 : value);
  store<u32>(slot, KIND_NUMBER, 8);
}

export function setText(slot: usize, text: usize): void {
  setSlot(slot, KIND_STRING, text);
}

export function setBoolean(slot: usize, value: bool): void {
  setSlot(slot, KIND_BOOLEAN, value ? 1 : 0);
}

export function setError(slot: usize, code: u32): void {
  setSlot(slot, KIND_ERROR, code);
}

export function setBlank(slot: usize): void {
  setSlot(slot, KIND_BLANK, 0);
}

export function copySlot(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u32>(to, load<u32>(from, 8), 8);
}
