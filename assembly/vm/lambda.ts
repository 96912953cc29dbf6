import { ERROR_NUMBER, ERROR_VALUE, KIND_LAMBDA, KIND_OMITTED } from '../abi';
import { FunctionRecord } from '../functions/function-record';
import { suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { textFrom } from '../memory/text';
import { answer, argumentCount, failure, firstArgument, reopenCall } from './call';
import { burn } from './cell-fuel';
import {
  callRecord,
  codeBase,
  constantsBase,
  endOfStack,
  enterCode,
  frame,
  hasRoom,
  recordsBase,
  run,
  setEndOfStack,
  setTop,
  top,
} from './machine';
import { PENDING_LAMBDA, STACK_BYTES, behindAnswer, popPending, pushPending } from './pending';
import { SLOT_BYTES, copySlot, setError, setSlot } from './slot';

/**
 * A lambda as a value: its code, and the values that its body captures. It is in scratch memory, as
 * every value of an evaluation; no cell holds one.
 */
@unmanaged
class Lambda {
  /** Code of the lambda; 0 for a worksheet function used as a value, whose record is in `body`. */
  code: u32 = 0;
  records: u32 = 0;
  constants: u32 = 0;
  /** First word of the body. */
  body: u32 = 0;
  parameterCount: u32 = 0;
  /** Parameters that must be given; the rest were written in brackets. */
  requiredCount: u32 = 0;
  /** Slots of its frame: parameters, captures, LET's names. */
  slotCount: u32 = 0;
  captureCount: u32 = 0;
  /** Address of the pairs of slots: in the frame outside, and in its own. */
  capturePairs: u32 = 0;
  /** Address of the captured values. */
  captured: u32 = 0;
}

/**
 * Excel documents a depth of 1,024 / (parameters + 1) calls, and has allowed sixteen times as many
 * since 2022. Each call counts its parameters and itself.
 */
const RECURSION_LIMIT: u32 = 16 * 1024;
/** Sum of the weights of the calls that are open. */
let recursion: u32 = 0;

/** A free piece of stack, with the next one in its first word; or 0. */
let spareStack: usize = 0;

/**
 * Depth of lambdas that functions such as MAP call within each other: those use the instance's
 * stack.
 */
let depth: u32 = 0;
const DEPTH_LIMIT: u32 = 256;

export function openRecursion(): void {
  recursion = 0;
  depth = 0;
  spareStack = 0;
}

/** Bits of OP_LAMBDA's operand that hold the number of parameters; above them, the required. */
export const PARAMETER_BITS: u32 = 10;

/** Makes the lambda whose head's words are at `place`, with what it captures of this frame. */
export function makeLambda(place: usize, operand: u32, slot: usize): void {
  const address = scratch(<u32>offsetof<Lambda>());
  const lambda = at<Lambda>(address);
  lambda.code = <u32>codeBase;
  lambda.records = <u32>recordsBase;
  lambda.constants = <u32>constantsBase;
  lambda.body = <u32>((place + 16 - codeBase) >> 2);
  lambda.parameterCount = operand & ((1 << PARAMETER_BITS) - 1);
  lambda.requiredCount = operand >> PARAMETER_BITS;
  lambda.captureCount = load<u32>(place);
  lambda.slotCount = load<u32>(place, 4);
  const pairs = codeBase + ((<usize>load<u32>(place, 8)) << 2);
  const captured = scratch(lambda.captureCount << 4);
  for (let index: u32 = 0; index < lambda.captureCount; index++) {
    const source = load<u32>(pairs + ((<usize>index) << 3));
    copySlot(captured + ((<usize>index) << 4), frame + ((<usize>source) << 4));
  }
  lambda.capturePairs = <u32>pairs;
  lambda.captured = <u32>captured;
  setSlot(slot, KIND_LAMBDA, address);
}

/** A worksheet function as a value, to be called with whatever number of arguments it takes. */
export function setFunction(function_: usize, slot: usize): void {
  const address = scratch(<u32>offsetof<Lambda>());
  const lambda = at<Lambda>(address);
  lambda.code = 0;
  lambda.body = <u32>function_;
  lambda.parameterCount = at<FunctionRecord>(function_).most;
  lambda.requiredCount = at<FunctionRecord>(function_).fewest;
  setSlot(slot, KIND_LAMBDA, address);
}

/** The name of the worksheet function that a lambda stands for; 0 for one that was written out. */
export function functionName(address: usize): usize {
  const lambda = at<Lambda>(address);
  if (lambda.code) return 0;
  const record = at<FunctionRecord>(lambda.body);
  return textFrom(record.name, record.nameLength);
}

/** Calls the function of a lambda; the arguments are copied, because calls change them. */
function callHanded(function_: usize, given: usize, count: u32, result: usize): void {
  const base = top;
  for (let index: u32 = 0; index < count; index++) {
    copySlot(base + <usize>index * SLOT_BYTES, given + <usize>index * SLOT_BYTES);
  }
  setTop(base + <usize>count * SLOT_BYTES);
  callRecord(function_, count);
  copySlot(result, base);
  setTop(base);
}

/** Runs a lambda's body with arguments that lie side by side; `result` may be one of them. */
function callLambda(address: usize, given: usize, count: u32, result: usize): void {
  const lambda = at<Lambda>(address);
  if (!takes(lambda, count)) return setError(result, ERROR_VALUE);
  const weight = lambda.parameterCount + 1;
  if (depth >= DEPTH_LIMIT || recursion + weight > RECURSION_LIMIT) {
    return setError(result, ERROR_NUMBER);
  }
  if (!lambda.code) return callHanded(lambda.body, given, count, result);
  const code = codeBase;
  const records = recordsBase;
  const constants = constantsBase;
  const locals = frame;
  const base = top;
  for (let index: u32 = 0; index < count; index++) {
    copySlot(base + <usize>index * SLOT_BYTES, given + <usize>index * SLOT_BYTES);
  }
  openFrame(lambda, base, count);
  depth++;
  recursion += weight;
  run(lambda.body);
  recursion -= weight;
  depth--;
  copySlot(result, top - SLOT_BYTES);
  setTop(base);
  enterCode(code, records, constants, locals);
}

function takes(lambda: Lambda, count: u32): bool {
  return count <= lambda.parameterCount && count >= lambda.requiredCount;
}

/** Switches to the lambda's code, with the arguments already at `base`. */
function openFrame(lambda: Lambda, base: usize, count: u32): void {
  for (let index = count; index < lambda.parameterCount; index++) {
    setSlot(base + <usize>index * SLOT_BYTES, KIND_OMITTED, 0);
  }
  for (let index: u32 = 0; index < lambda.captureCount; index++) {
    const target = load<u32>(<usize>lambda.capturePairs + ((<usize>index) << 3), 4);
    copySlot(base + ((<usize>target) << 4), <usize>lambda.captured + ((<usize>index) << 4));
  }
  enterCode(lambda.code, lambda.records, lambda.constants, base);
  setTop(base + <usize>lambda.slotCount * SLOT_BYTES);
}

/**
 * Begins a call whose arguments are the top slots, above that of the lambda, which gets the answer.
 * Returns the address of the body's code, or 0 if the answer is there already.
 */
export function enterLambda(address: usize, place: usize, count: u32, after: usize): usize {
  const lambda = at<Lambda>(address);
  const given = place + SLOT_BYTES;
  if (!takes(lambda, count)) return refused(place, ERROR_VALUE);
  const weight = lambda.parameterCount + 1;
  const isTooDeep = recursion + weight > RECURSION_LIMIT;
  if (isTooDeep || suspended || !burn(1)) return refused(place, ERROR_NUMBER);
  if (!lambda.code) {
    callHanded(lambda.body, given, count, place);
    return 0;
  }
  const waiting = pushPending(PENDING_LAMBDA, place, after);
  waiting.code = <u32>codeBase;
  waiting.records = <u32>recordsBase;
  waiting.constants = <u32>constantsBase;
  waiting.locals = <u32>frame;
  waiting.stackEnd = <u32>endOfStack();
  waiting.weight = weight;
  recursion += weight;
  // Room for the body, and for a name that it evaluates.
  openFrame(lambda, hasRoom(2) ? given : onNewStack(given, count), count);
  return codeBase + ((<usize>lambda.body) << 2);
}

function refused(place: usize, error: u32): usize {
  setError(place, error);
  return 0;
}

/** Continues the stack in another piece of memory, and copies the arguments there. */
function onNewStack(given: usize, count: u32): usize {
  let start = spareStack;
  if (start) spareStack = load<u32>(start);
  else start = scratch(<u32>STACK_BYTES);
  for (let index: u32 = 0; index < count; index++) {
    copySlot(start + <usize>index * SLOT_BYTES, given + <usize>index * SLOT_BYTES);
  }
  setEndOfStack(start + STACK_BYTES);
  return start;
}

/** Ends the innermost call with the value in the slot; returns where the code goes on. */
export function leaveLambda(value: usize): usize {
  const waiting = popPending();
  copySlot(waiting.answer, value);
  setTop(behindAnswer(waiting));
  const end = endOfStack();
  if (end != <usize>waiting.stackEnd) {
    store<u32>(end - STACK_BYTES, <u32>spareStack);
    spareStack = end - STACK_BYTES;
    setEndOfStack(waiting.stackEnd);
  }
  recursion -= waiting.weight;
  enterCode(waiting.code, waiting.records, waiting.constants, waiting.locals);
  return waiting.after;
}

/** Calls a lambda from inside a function, whose own call stays open. */
export function invokeLambda(lambda: usize, given: usize, count: u32, result: usize): void {
  const first = firstArgument;
  const outerCount = argumentCount;
  const into = answer;
  const failedWith = failure;
  callLambda(lambda, given, count, result);
  reopenCall(first, outerCount, into, failedWith);
}
