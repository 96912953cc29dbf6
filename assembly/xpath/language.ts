import { lowerUnit } from '../memory/text';
import { isConstant } from '../xml/character';
import { xmlUri } from '../xml/namespace';
import { isExhausted, pay } from '../xml/payment';
import {
  NODE_ATTRIBUTE,
  contentOf,
  kindOfNode,
  localLengthOf,
  localNameOf,
  parentOf,
  uriOf,
  valueLength,
  valueUnits,
} from '../xml/tree';

/** Returns whether the nearest `xml:lang` around a node is a language, or a kind of it. */
export function speaksLanguage(node: u32, units: usize, length: u32): bool {
  for (let around = node; !isExhausted; around = parentOf(around)) {
    pay(1);
    const attribute = languageOf(around);
    if (attribute) return isKindOf(valueUnits(attribute), valueLength(attribute), units, length);
    if (!around) break;
  }
  return false;
}

/** The node of the attribute, or 0. */
function languageOf(element: u32): u32 {
  for (let node = element + 1; node < contentOf(element); node++) {
    pay(1);
    if (kindOfNode(node) != NODE_ATTRIBUTE || uriOf(node) != xmlUri) continue;
    if (isConstant(localNameOf(node), localLengthOf(node), 'lang')) return node;
  }
  return 0;
}

function isKindOf(known: usize, knownLength: u32, units: usize, length: u32): bool {
  if (knownLength < length || !pay(1 + length)) return false;
  for (let index: u32 = 0; index < length; index++) {
    const place = (<usize>index) << 1;
    if (lowerUnit(load<u16>(known + place)) != lowerUnit(load<u16>(units + place))) return false;
  }
  return knownLength == length || load<u16>(known + ((<usize>length) << 1)) == 45;
}
