import { KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER } from '../abi';
import {
  FUNCTION_PLACE,
  FUNCTION_REMEMBERED,
  FUNCTION_SUBTOTAL,
  FUNCTION_VOLATILE,
  FunctionRecord,
  callFunction,
} from '../functions/registry';
import { clearSuspension, suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { answer, openCall } from '../vm/call';
import { closeCell, openCell, top } from '../vm/machine';
import { SLOT_BYTES, kindOf, numberOf, setBoolean, setSlot, wordOf } from '../vm/slot';
import { loadRegister } from './cells';
import {
  LANES_BOOLEAN,
  LANES_NUMBER,
  LANES_TEXT,
  depth,
  keepRegisters,
  laneCount,
  laneOf,
  registerAt,
  setResult,
  setUniform,
} from './register';
import { isTotal, totalOverLanes } from './total';

/** Functions over lanes: totals by two lanes (total.ts), all others lane by lane. */

/** Whether a function can be called with lanes, if their kinds are right. */
export function isKnownFunction(function_: usize): bool {
  const record = at<FunctionRecord>(function_);
  const others = FUNCTION_VOLATILE | FUNCTION_PLACE | FUNCTION_SUBTOTAL | FUNCTION_REMEMBERED;
  return isTotal(record.id) || (!(record.flags & others) && takesScalars(record));
}

/**
 * Calls a function that is known with the last registers as arguments; its answer takes their
 * place. False when it is better not done.
 */
export function callOverLanes(function_: usize, count: u32): bool {
  const record = at<FunctionRecord>(function_);
  if (isTotal(record.id)) return totalOverLanes(record.id, count);
  if (!count) return false;
  const first = depth - count;
  let isUniform = true;
  for (let index = first; index < depth; index++) {
    const register = registerAt(index);
    if (!loadRegister(register) || register.hasBlank || register.isStepped) return false;
    if (register.type == LANES_TEXT) return false;
    if (register.step) isUniform = false;
  }
  if (!callEach(record.id, first, count, isUniform)) return false;
  keepRegisters(first + 1);
  return true;
}

/** Whether all parameters want single values. */
function takesScalars(record: FunctionRecord): bool {
  for (let index: u32 = 0; index < record.kindCount; index++) {
    const kind = load<u16>(<usize>record.kinds + ((<usize>index) << 1));
    if (kind != 118 && kind != 43) return false;
  }
  return true;
}

/**
 * Calls the scalar machine's function for each lane; false when it answers neither kind known.
 */
function callEach(id: u32, first: u32, count: u32, isUniform: bool): bool {
  const result = registerAt(first);
  let type = LANES_TEXT;
  const lanes: u32 = isUniform ? 1 : laneCount;
  for (let lane: u32 = 0; lane < lanes; lane++) {
    const kind = callOne(id, first, count, lane);
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

/** The kind of an argument without a value, and of an answer that was not given. */
const NO_KIND: u32 = 255;

/** The kind of the function's answer for a lane, which is in `answer`. */
function callOne(id: u32, first: u32, count: u32, lane: u32): u32 {
  openCell();
  for (let index: u32 = 0; index < count; index++) {
    const register = registerAt(first + index);
    const value = laneOf(register, lane);
    const slot = top + <usize>index * SLOT_BYTES;
    if (value - value != 0) return NO_KIND;
    if (register.type == LANES_BOOLEAN) setBoolean(slot, value != 0);
    else setSlot(slot, KIND_NUMBER, reinterpret<u64>(value));
  }
  openCall(top, count);
  callFunction(id);
  closeCell();
  if (!suspended) return kindOf(answer) == KIND_ERROR ? NO_KIND : kindOf(answer);
  clearSuspension();
  return NO_KIND;
}
