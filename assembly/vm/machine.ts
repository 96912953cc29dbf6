import {
  ERROR_NUMBER,
  ERROR_REFERENCE,
  KIND_ARRAY,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../abi';
import { Template } from '../formula/template';
import { OPERATOR_ADD, OPERATOR_MULTIPLY, OPERATOR_SUBTRACT } from '../formula/token';
import { callRemembered } from '../functions/answer-cache';
import {
  FUNCTION_REMEMBERED,
  FUNCTION_TAKES_ANYTHING,
  FunctionRecord,
  callFunction,
  callLazyFunction,
} from '../functions/registry';
import { model } from '../grid/model';
import { clearSuspension, haltEvaluation, halted, suspended } from '../grid/sheet';
import { allocate } from '../memory/arena';
import { at } from '../memory/pointer';
import { isScratchSpent } from '../memory/scratch';
import { STEP_BITS, noteLargeWork, notedWork, takeSteps } from '../memory/work';
import { openCall } from './call';
import { broadcastBinary, derefer, liftCall, liftUnary } from './lift';
import { callLambda, makeLambda } from './lambda';
import { answerMiscall } from './miscall';
import { pushName } from './name';
import {
  OP_ARRAY,
  OP_BINARY,
  OP_BINARY_SNAP,
  OP_BOOLEAN,
  OP_CALL,
  OP_CELL,
  OP_CONSTANT,
  OP_END,
  OP_ERROR,
  OP_IMPLICIT,
  OP_INTERSECT,
  OP_INVOKE,
  OP_LAMBDA,
  OP_LAZY,
  OP_LOCAL,
  OP_MISCALL,
  OP_NAME,
  OP_NEGATE,
  OP_OMITTED,
  OP_PERCENT,
  OP_PLUS,
  OP_RANGE,
  OP_REFERENCE,
  OP_SET_LOCAL,
  OP_SPILLED,
  OP_UNION,
} from './opcode';
import { applyBinary, applyUnary, snapsToZero } from './operator';
import {
  intersectAreas,
  intersectImplicitly,
  joinRange,
  pushCell,
  pushRecord,
  pushSpilled,
  uniteAreas,
} from './record';
import { newArray, setItemFrom } from './array';
import { settle, settleArguments } from './settle';
import {
  SLOT_BYTES,
  copySlot,
  kindOf,
  numberOf,
  setBoolean,
  setError,
  setNumber,
  setSlot,
} from './slot';

/**
 * The scalar machine: runs a template's code for one cell over a stack of slots. What runs now is
 * in globals of the instance; a call of a name or a lambda saves and restores them.
 */
const STACK_SLOTS: u32 = 65_536;
/** Slots that must be free to enter a piece of code: 255 arguments at each of 64 levels. */
const STACK_MARGIN: usize = 16_640 * 16;
const DEPTH_LIMIT: i32 = 1_200;

/** Next free slot. */
export let top: usize = 0;
let stackEnd: usize = 0;
export let codeBase: usize = 0;
export let recordsBase: usize = 0;
export let constantsBase: usize = 0;
/** Locals of the running code. */
export let frame: usize = 0;
let runDepth: i32 = 0;

/** Steps left for the cell, and for the whole call. */
let cellFuel: i64 = 0;
const CELL_FUEL: i64 = 10_000_000;
export let totalFuel: i64 = 0;
/** Of what the cell pays for, in units of memory/work.ts: work that was not done. */
let repeatedUnits: u64 = 0;

export function setTotalFuel(steps: i64): void {
  totalFuel = steps;
}

/** Spends steps and what was noted of finer work. Memory runs out as fuel does: with #NUM!. */
export function burn(steps: u32): bool {
  cellFuel -= takeSteps() + steps;
  if (cellFuel >= 0 && !isScratchSpent()) return true;
  cellFuel = min<i64>(cellFuel, -1);
  haltEvaluation();
  return false;
}

/** Units of memory/work.ts that the cell has paid for or owes. */
export function workOfCell(): u64 {
  return <u64>((CELL_FUEL - cellFuel) << STEP_BITS) + notedWork();
}

/** Has the cell pay for work whose result is taken over from elsewhere, but not the whole call. */
export function repeatWork(units: u64): void {
  noteLargeWork(units);
  repeatedUnits += units;
}

export function openMachine(): void {
  const root = model();
  if (!root.stack) root.stack = <u32>allocate(STACK_SLOTS << 4);
  top = root.stack;
  stackEnd = top + ((<usize>STACK_SLOTS) << 4);
}

export function setTop(place: usize): void {
  top = place;
}

/** Gives a cell its own fuel and an empty stack. */
export function openCell(): void {
  top = model().stack;
  runDepth = 0;
  cellFuel = CELL_FUEL;
  takeSteps();
  repeatedUnits = 0;
}

/** The whole call pays for what the cell has used. */
export function closeCell(): void {
  cellFuel -= takeSteps();
  spendFuel(CELL_FUEL - cellFuel - <i64>(repeatedUnits >> STEP_BITS));
}

export function spendFuel(steps: i64): void {
  totalFuel -= steps;
}

/** Evaluates a template for the cell of vm/context.ts; the result is in the slot answered. */
export function evaluate(template: Template, constants: usize): usize {
  openCell();
  codeBase = template.code;
  recordsBase = template.references;
  constantsBase = constants;
  frame = top;
  top += (<usize>template.localCount) << 4;
  run(0);
  closeCell();
  const result = top - SLOT_BYTES;
  // What waits for another cell is computed again, with fuel of its own.
  if (halted) clearSuspension();
  else if (cellFuel >= 0 || suspended) return result;
  setError(result, ERROR_NUMBER);
  return result;
}

/** Switches to another piece of code; the caller has kept what it needs to come back. */
export function enterCode(code: usize, records: usize, constants: usize, locals: usize): void {
  codeBase = code;
  recordsBase = records;
  constantsBase = constants;
  frame = locals;
}

/** Runs code from a word on until its end; one value is on top of the stack then. */
export function run(start: u32): void {
  if (++runDepth > DEPTH_LIMIT || top + STACK_MARGIN > stackEnd || !burn(1)) {
    runDepth--;
    setError(top, ERROR_NUMBER);
    top += SLOT_BYTES;
    return;
  }
  let place = codeBase + ((<usize>start) << 2);
  for (;;) {
    const word = load<u32>(place);
    place += 4;
    const operand = word >> 8;
    cellFuel--;
    switch (word & 255) {
      case OP_END:
        runDepth--;
        return;
      case OP_CONSTANT:
        copySlot(top, constantsBase + ((<usize>operand) << 4));
        top += SLOT_BYTES;
        break;
      case OP_CELL:
        pushCell(recordsBase, operand, top);
        top += SLOT_BYTES;
        break;
      case OP_BINARY:
        top -= SLOT_BYTES;
        binary(operand, top - SLOT_BYTES, top);
        break;
      case OP_REFERENCE:
        pushRecord(recordsBase, operand, top);
        top += SLOT_BYTES;
        break;
      case OP_CALL:
        callRecord(load<u32>(place), operand);
        place += 4;
        break;
      case OP_LAZY:
        place = lazy(place, operand);
        break;
      default:
        place = runRare(word & 255, operand, place);
    }
  }
}

/** The less frequent operations; answers where the code goes on. */
function runRare(operation: u32, operand: u32, place: usize): usize {
  switch (operation) {
    case OP_BOOLEAN:
      setBoolean(top, operand != 0);
      break;
    case OP_ERROR:
      setError(top, operand);
      break;
    case OP_OMITTED:
      setSlot(top, KIND_OMITTED, 0);
      break;
    case OP_LOCAL:
      copySlot(top, frame + ((<usize>operand) << 4));
      break;
    case OP_NAME:
      pushName(load<u32>(place));
      return place + 4;
    case OP_ARRAY:
      pushArray(operand, load<u32>(place), load<u32>(place, 4));
      return place + 8;
    case OP_LAMBDA:
      makeLambda(place, operand, top);
      top += SLOT_BYTES;
      return codeBase + ((<usize>load<u32>(place, 12)) << 2);
    default:
      return runUnary(operation, operand, place);
  }
  top += SLOT_BYTES;
  return place;
}

function runUnary(operation: u32, operand: u32, place: usize): usize {
  const slot = top - SLOT_BYTES;
  switch (operation) {
    case OP_NEGATE:
    case OP_PERCENT:
    case OP_PLUS:
      unary(operation, slot);
      break;
    case OP_IMPLICIT:
      intersectImplicitly(slot);
      break;
    case OP_SPILLED:
      pushSpilled(slot);
      break;
    case OP_SET_LOCAL:
      copySlot(frame + ((<usize>operand) << 4), slot);
      top = slot;
      break;
    case OP_BINARY_SNAP:
      binarySnap(operand);
      break;
    case OP_INVOKE:
      invoke(operand);
      break;
    case OP_MISCALL:
      top -= (<usize>operand) << 4;
      answerMiscall(top, operand);
      top += SLOT_BYTES;
      break;
    default:
      top = slot;
      if (operation == OP_RANGE) joinRange(slot - SLOT_BYTES, slot);
      else if (operation == OP_UNION) uniteAreas(slot - SLOT_BYTES, slot);
      else if (operation == OP_INTERSECT) intersectAreas(slot - SLOT_BYTES, slot);
  }
  return place;
}

function binary(operator: u32, left: usize, right: usize): void {
  if (kindOf(left) == KIND_NUMBER && kindOf(right) == KIND_NUMBER) {
    const a = numberOf(left);
    const b = numberOf(right);
    if (operator == OPERATOR_ADD) return setNumber(left, a + b);
    if (operator == OPERATOR_MULTIPLY) return setNumber(left, a * b);
    if (operator == OPERATOR_SUBTRACT) return setNumber(left, a - b);
  }
  const leftScalar = settle(left);
  const rightScalar = settle(right);
  if (leftScalar && rightScalar) applyBinary(operator, left, right, left);
  else broadcastBinary(operator, left, right, left);
}

function binarySnap(operator: u32): void {
  top -= SLOT_BYTES;
  const left = top - SLOT_BYTES;
  settle(left);
  settle(top);
  const bothNumbers = kindOf(left) == KIND_NUMBER && kindOf(top) == KIND_NUMBER;
  const a = numberOf(left);
  const b = numberOf(top);
  binary(operator, left, top);
  if (!bothNumbers || kindOf(left) != KIND_NUMBER) return;
  if (snapsToZero(a, b, numberOf(left))) setNumber(left, 0);
}

function unary(operation: u32, slot: usize): void {
  if (settle(slot)) applyUnary(operation, slot);
  else liftUnary(operation, slot);
}

function pushArray(rows: u32, columns: u32, first: u32): void {
  const array = newArray(rows, columns);
  for (let index: u32 = 0; index < rows * columns; index++) {
    setItemFrom(array, index, constantsBase + ((<usize>(first + index)) << 4));
  }
  setSlot(top, KIND_ARRAY, array);
  top += SLOT_BYTES;
}

/** Calls a function whose arguments are the top slots; its answer takes their place. */
export function callRecord(function_: usize, count: u32): void {
  const base = top - <usize>count * SLOT_BYTES;
  if (suspended || !burn(1)) return abandonCall(base);
  const record = at<FunctionRecord>(function_);
  // An all-reference function such as SUM needs no look at its arguments.
  const lifts =
    !(record.flags & FUNCTION_TAKES_ANYTHING) && settleArguments(function_, base, count);
  if (lifts) liftCall(function_, base, count);
  else {
    openCall(base, count);
    if (record.flags & FUNCTION_REMEMBERED) callRemembered(record.id);
    else callFunction(record.id);
  }
  top = base + SLOT_BYTES;
}

/** The evaluation has stopped: whatever a call would answer is thrown away. */
function abandonCall(base: usize): void {
  setError(base, ERROR_NUMBER);
  top = base + SLOT_BYTES;
}

/** A lazy function: its arguments' offsets stand behind the skip word. */
function lazy(place: usize, count: u32): usize {
  const id = load<u32>(place);
  const after = load<u32>(place, 4);
  const base = top;
  // The answer's slot is taken before the arguments run, so that they cannot lie in it.
  top += SLOT_BYTES;
  openCall(base, 0);
  callLazyFunction(id, place + 8, count);
  top = base + SLOT_BYTES;
  return codeBase + ((<usize>after) << 2);
}

/** Runs argument `index` of a lazy call and answers its slot, which is the top one. */
export function runArgument(offsets: usize, index: u32): usize {
  run(load<u32>(offsets + ((<usize>index) << 2)));
  return top - SLOT_BYTES;
}

function invoke(count: u32): void {
  const base = top - <usize>(count + 1) * SLOT_BYTES;
  if (kindOf(base) == KIND_REFERENCE) derefer(base);
  const kind = kindOf(base);
  if (kind == KIND_LAMBDA) callLambda(load<u32>(base), base + SLOT_BYTES, count, base);
  else if (kind != KIND_ERROR) setError(base, ERROR_REFERENCE);
  top = base + SLOT_BYTES;
}
