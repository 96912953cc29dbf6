import { TEXT_HEADER, lengthOf } from '../memory/text';
import { isExhausted } from '../xml/payment';
import { localLengthOf, localNameOf, nameLengthOf, nameOf, uriOf } from '../xml/tree';
import {
  CALL_BOOLEAN,
  CALL_CEILING,
  CALL_CONCAT,
  CALL_COUNT,
  CALL_FALSE,
  CALL_FLOOR,
  CALL_ID,
  CALL_LANG,
  CALL_LAST,
  CALL_LOCAL_NAME,
  CALL_NAME,
  CALL_NOT,
  CALL_NUMBER,
  CALL_POSITION,
  CALL_STRING,
  CALL_SUM,
  CALL_TRANSLATE,
  CALL_TRUE,
  looksAround,
} from './core-function';
import { evaluate } from './evaluate';
import { wordOf } from './expression';
import { speaksLanguage } from './language';
import { addNode, dropSet, newSet, nodeAt, sizeOf } from './node-set';
import { roundNumber } from './number';
import { contextNode, contextPosition, contextSize } from './path';
import { callText } from './text-call';
import {
  numberOfNode,
  popBoolean,
  popNumber,
  popSet,
  popText,
  pushBoolean,
  pushNumber,
  pushSet,
  pushText,
  textLength,
  textUnits,
} from './value';

/** Evaluates a call: its arguments first, from left to right. */
export function evaluateCall(node: u32): void {
  const call = wordOf(node, 0);
  const count = wordOf(node, 2);
  for (let item = wordOf(node, 1); item; item = wordOf(item, 1)) evaluate(wordOf(item, 0));
  if (!count && looksAround(call)) pushContext();
  if (call == CALL_STRING || (call >= CALL_CONCAT && call <= CALL_TRANSLATE)) {
    return callText(call, count);
  }
  if (call >= CALL_LOCAL_NAME && call <= CALL_NAME) return callName(call);
  if (call >= CALL_BOOLEAN && call <= CALL_LANG) return callBoolean(call);
  callNumber(call);
}

function pushContext(): void {
  const set = newSet();
  addNode(set, contextNode);
  pushSet(set);
}

function callName(call: u32): void {
  const set = popSet();
  const isEmpty = sizeOf(set) == 0;
  const node = isEmpty ? 0 : nodeAt(set, 0);
  dropSet(set);
  if (isEmpty) return pushText(0, 0);
  if (call == CALL_NAME) return pushText(nameOf(node), nameLengthOf(node));
  if (call == CALL_LOCAL_NAME) return pushText(localNameOf(node), localLengthOf(node));
  const uri = uriOf(node);
  if (uri) pushText(<usize>uri + TEXT_HEADER, lengthOf(uri));
  else pushText(0, 0);
}

function callBoolean(call: u32): void {
  switch (call) {
    case CALL_BOOLEAN:
      return pushBoolean(popBoolean());
    case CALL_NOT:
      return pushBoolean(!popBoolean());
    case CALL_TRUE:
    case CALL_FALSE:
      return pushBoolean(call == CALL_TRUE);
    default:
      popText();
      return pushBoolean(speaksLanguage(contextNode, textUnits, textLength));
  }
}

function callNumber(call: u32): void {
  switch (call) {
    case CALL_LAST:
      return pushNumber(<f64>contextSize);
    case CALL_POSITION:
      return pushNumber(<f64>contextPosition);
    case CALL_COUNT:
      return countNodes();
    case CALL_ID:
      // Only a DTD could say which attributes are of this type.
      popText();
      return pushSet(newSet());
    case CALL_NUMBER:
      return pushNumber(popNumber());
    case CALL_SUM:
      return addNumbers();
    case CALL_FLOOR:
      return pushNumber(floor(popNumber()));
    case CALL_CEILING:
      return pushNumber(ceil(popNumber()));
    default:
      return pushNumber(roundNumber(popNumber()));
  }
}

function countNodes(): void {
  const set = popSet();
  pushNumber(<f64>sizeOf(set));
  dropSet(set);
}

function addNumbers(): void {
  const set = popSet();
  const count = sizeOf(set);
  let sum: f64 = 0;
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    sum += numberOfNode(nodeAt(set, index));
  }
  dropSet(set);
  pushNumber(sum);
}
