import { at } from '../memory/pointer';
import { openCall } from './call';
import { LAZY_DONE, LAZY_LAST, stepLazy } from './function-entries';
import { leaveLambda } from './lambda';
import { codeBase, setTop, top } from './machine';
import {
  PENDING_ARGUMENT,
  PENDING_BRANCH,
  PENDING_LAMBDA,
  Pending,
  answerWith,
  behindAnswer,
  pending,
  popPending,
  pushPending,
} from './pending';
import { SLOT_BYTES } from './slot';

/** A lazy function: its arguments' offsets stand behind the skip word. */
export function beginLazy(place: usize, count: u32): usize {
  const after = codeBase + ((<usize>load<u32>(place, 4)) << 2);
  const waiting = pushPending(PENDING_ARGUMENT, top, after);
  waiting.id = load<u32>(place);
  waiting.offsets = <u32>(place + 8);
  waiting.count = count;
  waiting.index = 0;
  // The answer's slot is taken before the arguments run, so that they cannot lie in it.
  setTop(top + SLOT_BYTES);
  waiting.first = <u32>top;
  return argumentPlace(waiting);
}

function argumentPlace(waiting: Pending): usize {
  const offset = load<u32>(<usize>waiting.offsets + ((<usize>waiting.index) << 2));
  return codeBase + ((<usize>offset) << 2);
}

/** Goes on with what waited for the code that has ended. */
export function goOn(): usize {
  const waiting = at<Pending>(pending);
  const value = top - SLOT_BYTES;
  if (waiting.kind == PENDING_LAMBDA) return leaveLambda(value);
  if (waiting.kind == PENDING_BRANCH) answerWith(waiting, value);
  else {
    openCall(waiting.answer, 0);
    const next = stepLazy(waiting, value, waiting.answer);
    if (next != LAZY_DONE) {
      waiting.index = <u32>(next & ~LAZY_LAST);
      if (next & LAZY_LAST) {
        waiting.kind = PENDING_BRANCH;
        setTop(behindAnswer(waiting));
      }
      return argumentPlace(waiting);
    }
  }
  popPending();
  setTop(behindAnswer(waiting));
  return waiting.after;
}
