import { KIND_OMITTED } from '../abi';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { SLOT_BYTES, copySlot, kindOf, setBlank } from './slot';

/**
 * Lambdas that wait for their body, and lazy functions that wait for an argument, within one run of
 * code. They are in a list of their own and not on the stack of the instance, so that recursion may
 * be as deep as in Excel.
 */
@unmanaged
export class Pending {
  /** Address of the record that waits for this one, or 0. */
  below: u32 = 0;
  /** PENDING_*. */
  kind: u32 = 0;
  /** Slot of the result. */
  answer: u32 = 0;
  /** Where the code goes on. */
  after: u32 = 0;
  // Fields of a lambda: the code to go back to.
  code: u32 = 0;
  records: u32 = 0;
  constants: u32 = 0;
  locals: u32 = 0;
  stackEnd: u32 = 0;
  /** Weight that it adds to the depth of recursion. */
  weight: u32 = 0;
  // Fields of a lazy function.
  id: u32 = 0;
  offsets: u32 = 0;
  count: u32 = 0;
  /** The argument that runs, and the slot of the first one. */
  index: u32 = 0;
  first: u32 = 0;
}

/** The stack of slots; a deep recursion goes on in further pieces of that size. */
export const STACK_BYTES: usize = 65_536 * 16;

export const PENDING_LAMBDA: u32 = 1;
/** The argument is looked at, and may lead to another one. */
export const PENDING_ARGUMENT: u32 = 2;
/** The value of the argument is the answer. */
export const PENDING_BRANCH: u32 = 3;

/** The innermost, or 0. */
export let pending: usize = 0;
/** Free records. */
let spare: usize = 0;

export function openPending(): void {
  pending = 0;
  spare = 0;
}

export function pushPending(kind: u32, answer: usize, after: usize): Pending {
  let address = spare;
  if (address) spare = at<Pending>(address).below;
  else address = scratch(<u32>offsetof<Pending>());
  const record = at<Pending>(address);
  record.below = <u32>pending;
  record.kind = kind;
  record.answer = <u32>answer;
  record.after = <u32>after;
  pending = address;
  return record;
}

/** Removes the innermost record, which can be read until the next one is added. */
export function popPending(): Pending {
  const address = pending;
  const record = at<Pending>(address);
  pending = record.below;
  record.below = <u32>spare;
  spare = address;
  return record;
}

/** Makes the value in a slot the answer; an empty argument is a blank. */
export function answerWith(record: Pending, slot: usize): void {
  copySlot(record.answer, slot);
  if (kindOf(record.answer) == KIND_OMITTED) setBlank(record.answer);
}

/** Where the stack goes on behind the answer. */
export function behindAnswer(record: Pending): usize {
  return <usize>record.answer + SLOT_BYTES;
}
