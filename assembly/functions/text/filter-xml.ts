import {
  ERROR_BLOCKED,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_STRING,
  TEXT_LENGTH_LIMIT,
} from '../../abi';
import { bytesIn, newBuffer, pushUnit, pushUnits, startOf, wordAt } from '../../formula/buffer';
import { TEXT_HEADER, lengthOf, textFrom } from '../../memory/text';
import { parseNumber, parsedNumber } from '../../values/typed-number';
import { ITEM_LIMIT, newArray, setItemAt, setItemNumber } from '../../vm/array';
import {
  answerArray,
  answerBoolean,
  answerError,
  answerNumber,
  answerText,
  failed,
  textArgument,
} from '../../vm/call';
import { isConstant, isSpace } from '../../xml/character';
import { closePayment, isExhausted, openPayment, pay } from '../../xml/payment';
import { parseXml } from '../../xml/parse';
import {
  gaps,
  preservesSpace,
  saysText,
  valueLength,
  valueStart,
  valueUnits,
} from '../../xml/tree';
import { evaluate } from '../../xpath/evaluate';
import { nodeAt, openSets, sizeOf } from '../../xpath/node-set';
import { parseXpath } from '../../xpath/parse';
import { resolvePrefixes, usesNamespaces } from '../../xpath/parse-step';
import { openContext } from '../../xpath/path';
import { isBad } from '../../xpath/reader';
import {
  VALUE_BOOLEAN,
  VALUE_NODES,
  VALUE_NUMBER,
  kindOfValue,
  openValues,
  popBoolean,
  popNumber,
  popSet,
  popText,
  textLength,
  textUnits,
} from '../../xpath/value';

/** Units that Excel takes for an XPath. */
const XPATH_LIMIT: u32 = 1024;

/**
 * FILTERXML(xml, xpath): what the nodes say that an XPath 1.0 finds, one below the other, numbers
 * and dates as numbers. No XML, no XPath and nothing that is found are #VALUE!; an address in place
 * of the XML is #BLOCKED!, since nothing is fetched.
 */
export function evaluateFilterXml(): void {
  const xml = textArgument(0);
  const xpath = textArgument(1);
  if (failed()) return;
  if (isAddress(xml)) return answerError(ERROR_BLOCKED);
  openPayment();
  answerFound(xml, xpath);
  closePayment();
}

/** Returns whether a text begins as `https://` does; no XML begins with a letter. */
function isAddress(text: usize): bool {
  let place = text + TEXT_HEADER;
  const end = place + ((<usize>lengthOf(text)) << 1);
  while (place < end && isSpace(load<u16>(place))) place += 2;
  const start = place;
  while (place < end && (<u32>load<u16>(place) | 32) - 97 < 26) place += 2;
  return place > start && place + 6 <= end && isConstant(place, 3, '://');
}

function answerFound(xml: usize, xpath: usize): void {
  const length = lengthOf(xpath);
  const root = parseXpath(xpath + TEXT_HEADER, min(length, XPATH_LIMIT));
  if (isBad || length > XPATH_LIMIT) return answerError(ERROR_VALUE);
  if (!parseXml(xml + TEXT_HEADER, lengthOf(xml), usesNamespaces) || !resolvePrefixes()) {
    return answerError(ERROR_VALUE);
  }
  openSets();
  openValues();
  openContext();
  evaluate(root);
  answerValue();
}

function answerValue(): void {
  const kind = kindOfValue();
  if (kind == VALUE_NUMBER) return answerNumber(popNumber());
  if (kind == VALUE_BOOLEAN) return answerBoolean(popBoolean());
  if (kind == VALUE_NODES) return answerNodes(popSet());
  popText();
  if (isExhausted) return answerError(ERROR_NUMBER);
  if (textLength > <u32>TEXT_LENGTH_LIMIT) return answerError(ERROR_VALUE);
  answerText(textFrom(textUnits, textLength));
}

function answerNodes(set: usize): void {
  const count = sizeOf(set);
  if (!count) return answerError(ERROR_VALUE);
  if (count > ITEM_LIMIT || isExhausted) return answerError(ERROR_NUMBER);
  if (count == 1) {
    const text = textOfNode(nodeAt(set, 0));
    if (parseNumber(text)) answerNumber(parsedNumber);
    else answerText(text);
    return;
  }
  const array = newArray(count, 1);
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    const text = textOfNode(nodeAt(set, index));
    if (!parseNumber(text)) setItemAt(array, index, KIND_STRING, text);
    else setItemNumber(array, index, parsedNumber);
  }
  answerArray(array);
}

const TEXT_QUARTERS: u32 = 16;

/**
 * Returns the text of a node, as the property `text` of MSXML gives it: without white space around,
 * unless `xml:space` keeps it, and with a blank for white space between tags.
 */
function textOfNode(node: u32): usize {
  const length = valueLength(node);
  let units = valueUnits(node);
  pay(TEXT_QUARTERS + length);
  if (isExhausted) return textFrom(units, 0);
  if (saysText(node)) units = fillGaps(node, units, length);
  else filledLength = length;
  let end = units + ((<usize>filledLength) << 1);
  if (!preservesSpace(node)) {
    while (units < end && isSpace(load<u16>(units))) units += 2;
    while (end > units && isSpace(load<u16>(end - 2))) end -= 2;
  }
  return textFrom(units, <u32>(end - units) >> 1);
}

let filledLength: u32 = 0;

/** The units of a node with a blank for each gap; `filledLength` says how many. */
function fillGaps(node: u32, units: usize, length: u32): usize {
  const start = valueStart(node);
  const count = bytesIn(gaps) >> 2;
  let next = firstGapBehind(start);
  filledLength = length;
  if (next == count || wordAt(gaps, next) >= start + length) return units;
  const filled = newBuffer((length << 1) + 64);
  let done: u32 = 0;
  for (; next < count && wordAt(gaps, next) < start + length; next++) {
    const gap = wordAt(gaps, next) - start;
    pushUnits(filled, units + ((<usize>done) << 1), gap - done);
    pushUnit(filled, 32);
    done = gap;
  }
  pushUnits(filled, units + ((<usize>done) << 1), length - done);
  filledLength = bytesIn(filled) >> 1;
  return startOf(filled);
}

/** Number of the first gap behind a place of the texts. */
function firstGapBehind(place: u32): u32 {
  let low: u32 = 0;
  let high = bytesIn(gaps) >> 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wordAt(gaps, middle) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
