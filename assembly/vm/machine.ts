import {
  ERROR_NUMBER,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../abi';
import { Template } from '../formula/template';
import { callRemembered } from './answer-cache';
import {
  FUNCTION_REMEMBERED,
  FUNCTION_TAKES_ANYTHING,
  FUNCTION_TAKES_SPANS,
  FunctionRecord,
} from '../functions/function-record';
import { callFunction } from './function-entries';
import { hasSpan } from './sheet-span';
import { model } from '../grid/model';
import { clearSuspension, halted, suspended } from '../grid/sheet';
import { allocate } from '../memory/arena';
import { at } from '../memory/pointer';
import { openCall } from './call';
import { burn, closeCell, countStep, fillFuel, isFuelSpent, putOff } from './cell-fuel';
import { derefer, liftCall } from './lift';
import { enterLambda, makeLambda, openRecursion } from './lambda';
import { keepPart, openParts, recallPart } from './fixed-part';
import { beginLazy, goOn } from './lazy-call';
import { answerMiscall } from './miscall';
import { binary, binarySnap, putArray, unary } from './operation';
import { pushName } from './name';
import { STACK_BYTES, openPending, pending } from './pending';
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
  OP_FIXED,
  OP_IMPLICIT,
  OP_INTERSECT,
  OP_INVOKE,
  OP_KEEP,
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
import {
  intersectAreas,
  intersectImplicitly,
  joinRange,
  pushCell,
  pushRecord,
  pushSpilled,
  uniteAreas,
} from './record';
import { hasMetSpan, openSpans } from './reference';
import { settleArguments } from './settle';
import { SLOT_BYTES, copySlot, kindOf, setBoolean, setError, setSlot } from './slot';

/**
 * The scalar machine runs the code of a template for one cell over a stack of slots. Its state is
 * in globals of the instance; a call of a name or a lambda saves and restores it.
 */
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

export function openMachine(): void {
  const root = model();
  if (!root.stack) root.stack = <u32>allocate(<u32>STACK_BYTES);
  top = root.stack;
  stackEnd = top + STACK_BYTES;
}

export function setTop(place: usize): void {
  top = place;
}

/**
 * Returns the end of the stack, which changes when a deep recursion continues in another piece of
 * memory.
 */
export function endOfStack(): usize {
  return stackEnd;
}

export function setEndOfStack(place: usize): void {
  stackEnd = place;
}

/** Returns whether the stack has room for so many pieces of code within one another. */
export function hasRoom(pieces: usize): bool {
  return top + pieces * STACK_MARGIN <= stackEnd;
}

/** Gives a cell its own fuel and an empty stack. */
export function openCell(): void {
  top = model().stack;
  stackEnd = top + STACK_BYTES;
  openPending();
  openRecursion();
  openSpans();
  openParts();
  runDepth = 0;
  fillFuel();
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
  // A cell that waits for another one is computed again, with fuel of its own.
  if (!halted && (suspended || !isFuelSpent())) return result;
  if (putOff()) return result;
  clearSuspension();
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
  if (++runDepth > DEPTH_LIMIT || !hasRoom(1) || !burn(1)) {
    runDepth--;
    setError(top, ERROR_NUMBER);
    top += SLOT_BYTES;
    return;
  }
  const outer = pending;
  let place = codeBase + ((<usize>start) << 2);
  for (;;) {
    const word = load<u32>(place);
    place += 4;
    const operand = word >> 8;
    countStep();
    switch (word & 255) {
      case OP_END:
        if (pending == outer) {
          runDepth--;
          return;
        }
        place = goOn();
        break;
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
        place = beginLazy(place, operand);
        break;
      default:
        place = runRare(word & 255, operand, place);
    }
  }
}

/** The less frequent operations; returns where the code goes on. */
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
      putArray(operand, load<u32>(place), load<u32>(place, 4), top);
      top += SLOT_BYTES;
      return place + 8;
    case OP_FIXED:
      if (!recallPart(place, constantsBase, top)) return place + 4;
      top += SLOT_BYTES;
      return codeBase + ((<usize>operand) << 2);
    case OP_KEEP:
      keepPart(codeBase + ((<usize>operand + 1) << 2), constantsBase, top - SLOT_BYTES);
      return place;
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
      top = slot;
      binarySnap(operand, slot - SLOT_BYTES, slot);
      break;
    case OP_INVOKE:
      return invoke(operand, place);
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

/** Calls a function whose arguments are the top slots; its answer takes their place. */
export function callRecord(function_: usize, count: u32): void {
  const base = top - <usize>count * SLOT_BYTES;
  if (suspended || !burn(1)) return abandonCall(base);
  const record = at<FunctionRecord>(function_);
  if (hasMetSpan && !(record.flags & FUNCTION_TAKES_SPANS) && hasSpan(base, count)) {
    setError(base, ERROR_VALUE);
    top = base + SLOT_BYTES;
    return;
  }
  // Functions that take any argument, such as SUM, need no look at their arguments.
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

/** Drops the result of a call, because the evaluation has stopped. */
function abandonCall(base: usize): void {
  setError(base, ERROR_NUMBER);
  top = base + SLOT_BYTES;
}

/** Runs argument `index` of a lazy call and answers its slot, which is the top one. */
export function runArgument(offsets: usize, index: u32): usize {
  run(load<u32>(offsets + ((<usize>index) << 2)));
  return top - SLOT_BYTES;
}

function invoke(count: u32, place: usize): usize {
  const base = top - <usize>(count + 1) * SLOT_BYTES;
  if (kindOf(base) == KIND_REFERENCE) derefer(base);
  const kind = kindOf(base);
  if (kind == KIND_LAMBDA) {
    const body = enterLambda(load<u32>(base), base, count, place);
    if (body) return body;
  } else if (kind != KIND_ERROR) setError(base, ERROR_REFERENCE);
  top = base + SLOT_BYTES;
  return place;
}
