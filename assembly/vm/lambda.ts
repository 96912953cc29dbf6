import { ERROR_NUMBER, ERROR_VALUE, KIND_LAMBDA, KIND_OMITTED } from '../abi';
import { FunctionRecord } from '../functions/registry';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { answer, argumentCount, failure, firstArgument, reopenCall } from './call';
import {
  callRecord,
  codeBase,
  constantsBase,
  enterCode,
  frame,
  recordsBase,
  run,
  setTop,
  top,
} from './machine';
import { SLOT_BYTES, copySlot, setError, setSlot } from './slot';

/**
 * A lambda as a value: the code it was written in, and the values that its body takes from outside.
 * It lives in scratch, as every value of an evaluation does; no cell ever holds one.
 */
@unmanaged
class Lambda {
  /** 0 for a worksheet function handed on as a value; its record is in `body` then. */
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

/** Lambdas that run within one another. */
let depth: u32 = 0;
const DEPTH_LIMIT: u32 = 256;

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

/** Calls the function that a lambda stands for; the arguments are copied, as calls change them. */
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
export function callLambda(address: usize, given: usize, count: u32, result: usize): void {
  const lambda = at<Lambda>(address);
  if (count > lambda.parameterCount || count < lambda.requiredCount) {
    return setError(result, ERROR_VALUE);
  }
  if (depth >= DEPTH_LIMIT) return setError(result, ERROR_NUMBER);
  if (!lambda.code) return callHanded(lambda.body, given, count, result);
  const code = codeBase;
  const records = recordsBase;
  const constants = constantsBase;
  const locals = frame;
  const base = top;
  for (let index: u32 = 0; index < lambda.parameterCount; index++) {
    const slot = base + <usize>index * SLOT_BYTES;
    if (index < count) copySlot(slot, given + <usize>index * SLOT_BYTES);
    else setSlot(slot, KIND_OMITTED, 0);
  }
  for (let index: u32 = 0; index < lambda.captureCount; index++) {
    const target = load<u32>(<usize>lambda.capturePairs + ((<usize>index) << 3), 4);
    copySlot(base + ((<usize>target) << 4), <usize>lambda.captured + ((<usize>index) << 4));
  }
  enterCode(lambda.code, lambda.records, lambda.constants, base);
  setTop(base + <usize>lambda.slotCount * SLOT_BYTES);
  depth++;
  run(lambda.body);
  depth--;
  copySlot(result, top - SLOT_BYTES);
  setTop(base);
  enterCode(code, records, constants, locals);
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
