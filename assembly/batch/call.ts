import { KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER } from '../abi';
import { ReferenceRecord } from '../formula/token';
import { callRemembered } from '../vm/answer-cache';
import {
  FAMILY_DATE_TIME,
  FAMILY_INFORMATION,
  FAMILY_LOGICAL,
  FAMILY_MATH,
  FAMILY_TRIGONOMETRY,
  FUNCTION_PLACE,
  FUNCTION_REMEMBERED,
  FUNCTION_SUBTOTAL,
  FUNCTION_VOLATILE,
  FunctionRecord,
  kindOfParameter,
} from '../functions/function-record';
import { callFunction } from '../vm/function-entries';
import { clearSuspension, suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { answer, openCall } from '../vm/call';
import { closeCell, totalFuel } from '../vm/cell-fuel';
import { openCell, top } from '../vm/machine';
import { Area, setArea, setReference } from '../vm/reference';
import { SLOT_BYTES, copySlot, kindOf, numberOf, setBoolean, setSlot, wordOf } from '../vm/slot';
import {
  areaColumn0,
  areaColumn1,
  areaMoves,
  areaRow0,
  areaRow1,
  areaSheet,
  loadRegister,
  placeArea,
} from './cells';
import {
  LANES_BOOLEAN,
  LANES_NUMBER,
  LANES_REFERENCE,
  LANES_TEXT,
  Register,
  depth,
  keepRegisters,
  laneCount,
  laneOf,
  registerAt,
  setResult,
  setUniform,
} from './register';
import { isTotal, totalOverLanes } from './total';

/** Calls functions for lanes: totals two lanes at a time (total.ts), all others lane by lane. */

const PARAMETER_VALUE: u32 = 118;
const PARAMETER_REFERENCE: u32 = 114;
const PARAMETER_REPEAT: u32 = 43;

/**
 * Returns whether the batch interpreter can call a function on lanes, if the lanes have the kinds
 * that it takes.
 */
export function isKnownFunction(function_: usize): bool {
  const record = at<FunctionRecord>(function_);
  if (record.flags & (FUNCTION_VOLATILE | FUNCTION_PLACE | FUNCTION_SUBTOTAL)) return false;
  // A function with remembered answers has one value for a fixed range, so it is called once for
  // all rows.
  const isRemembered = (record.flags & FUNCTION_REMEMBERED) != 0;
  if (!isRemembered && !isOfQuickFamily(record.id)) return false;
  for (let index: u32 = 0; index < record.kindCount; index++) {
    const kind = load<u16>(<usize>record.kinds + ((<usize>index) << 1));
    if (kind == PARAMETER_VALUE || kind == PARAMETER_REPEAT) continue;
    if (!isRemembered || kind != PARAMETER_REFERENCE) return false;
  }
  return true;
}

/**
 * Returns whether the functions of a family are quick. Others may use up the fuel of a call, which
 * is only checked after the batch.
 */
function isOfQuickFamily(id: u32): bool {
  switch (id >> 16) {
    case FAMILY_LOGICAL:
    case FAMILY_MATH:
    case FAMILY_TRIGONOMETRY:
    case FAMILY_DATE_TIME:
    case FAMILY_INFORMATION:
      return true;
    default:
      return false;
  }
}

/**
 * Calls a known function with the last registers as arguments, and replaces them by its result.
 * Returns false to leave the call to the scalar machine.
 */
export function callOverLanes(function_: usize, count: u32): bool {
  const first = depth - count;
  const id = at<FunctionRecord>(function_).id;
  if (isTotal(id) && !areFixed(first)) return totalOverLanes(id, count);
  if (!count) return false;
  let isUniform = true;
  for (let index = first; index < depth; index++) {
    const register = registerAt(index);
    const kind = kindOfParameter(function_, index - first);
    const isRead = kind == PARAMETER_REFERENCE ? fixReference(register) : loadRegister(register);
    if (!isRead || register.hasBlank || register.isStepped) return false;
    if (register.type == LANES_TEXT) return false;
    if (register.step) isUniform = false;
  }
  const isAboutRanges = (at<FunctionRecord>(function_).flags & FUNCTION_REMEMBERED) != 0;
  if (isAboutRanges && !isUniform) return false;
  if (!callEach(function_, first, count, isUniform)) return false;
  keepRegisters(first + 1);
  return true;
}

/** Returns whether every argument from `first` on is a range that is the same for all rows. */
function areFixed(first: u32): bool {
  for (let index = first; index < depth; index++) {
    const register = registerAt(index);
    if (register.type != LANES_REFERENCE || !fixReference(register)) return false;
  }
  return first < depth;
}

/** Replaces a register that refers to the same cells in all rows by a slot with that reference. */
function fixReference(register: Register): bool {
  if (register.type != LANES_REFERENCE) return true;
  if (!placeArea(at<ReferenceRecord>(register.record)) || areaMoves) return false;
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, areaSheet, areaRow0, areaColumn0, areaRow1, areaColumn1);
  const slot = scratch(<u32>SLOT_BYTES);
  setReference(slot, area);
  register.lanes = <u32>slot;
  register.step = 0;
  return true;
}

/**
 * Calls the function of the scalar machine for each lane; returns false if a result has an unknown
 * kind.
 */
function callEach(function_: usize, first: u32, count: u32, isUniform: bool): bool {
  const result = registerAt(first);
  let type = LANES_TEXT;
  const lanes: u32 = isUniform ? 1 : laneCount;
  for (let lane: u32 = 0; lane < lanes; lane++) {
    const kind = callOne(function_, first, count, lane);
    if (type == LANES_TEXT && kind == KIND_NUMBER) type = LANES_NUMBER;
    else if (type == LANES_TEXT && kind == KIND_BOOLEAN) type = LANES_BOOLEAN;
    else if (type == LANES_TEXT && kind != NO_KIND) return false;
    let value: f64 = NaN;
    if (kind == KIND_NUMBER && type == LANES_NUMBER) value = numberOf(answer);
    else if (kind == KIND_BOOLEAN && type == LANES_BOOLEAN) value = <f64>wordOf(answer);
    if (isUniform) setUniform(result, value);
    else store<f64>(<usize>result.buffer + ((<usize>lane) << 3), value);
  }
  setResult(result, isUniform, type == LANES_TEXT ? LANES_NUMBER : type);
  return true;
}

/** Kind of an argument without a value, and of a missing result. */
const NO_KIND: u32 = 255;

/** Calls the function for one lane; returns the kind of its result, which is in `answer`. */
function callOne(function_: usize, first: u32, count: u32, lane: u32): u32 {
  // Rows that are left without a value are computed by the next call.
  if (totalFuel <= 0) return NO_KIND;
  openCell();
  for (let index: u32 = 0; index < count; index++) {
    const register = registerAt(first + index);
    const slot = top + <usize>index * SLOT_BYTES;
    if (register.type == LANES_REFERENCE) {
      copySlot(slot, register.lanes);
      continue;
    }
    const value = laneOf(register, lane);
    if (value - value != 0) return NO_KIND;
    if (register.type == LANES_BOOLEAN) setBoolean(slot, value != 0);
    else setSlot(slot, KIND_NUMBER, reinterpret<u64>(value));
  }
  openCall(top, count);
  const record = at<FunctionRecord>(function_);
  if (record.flags & FUNCTION_REMEMBERED) callRemembered(record.id);
  else callFunction(record.id);
  closeCell();
  if (!suspended) return kindOf(answer) == KIND_ERROR ? NO_KIND : kindOf(answer);
  clearSuspension();
  return NO_KIND;
}
