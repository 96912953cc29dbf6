import { NOTATION_A1, NOTATION_STORED, setHome, setNotation } from './formula/lexer';
import {
  MODE_DYNAMIC,
  Template,
  compile,
  dropConstants,
  dropTemplate,
  holdTemplate,
  keepConstants,
  openCompiler,
} from './formula/template';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from './formula/unparse';
import { MODEL_NAMES, forgetMissing, missingCount, model } from './grid/model';
import { forgetNames } from './grid/name';
import { at } from './memory/pointer';
import { lengthOfVector } from './memory/vector';

/** Compiles the formula that the host has written into the input buffer. */

// Numbers of names and of missing sheets before the text was compiled, to which `dropInput`
// returns.
let namesBefore: u32 = 0;
let missingBefore: u32 = 0;

/** The template of the text in the input room, or 0; `dropInput` ends its use. */
export function compileInput(unitCount: u32, row: u32, column: u32, notation: u32): usize {
  namesBefore = lengthOfVector(MODEL_NAMES);
  missingBefore = missingCount();
  openCompiler();
  openUnparser();
  setHome(row, column);
  const template = unitCount ? compileIn(notation, <usize>model().input, unitCount) : 0;
  if (template) holdTemplate(template);
  else forgetInput();
  return template;
}

/** The template of a text with its `=`. */
function compileIn(notation: u32, units: usize, unitCount: u32): usize {
  setNotation(notation);
  const template = compile(units + 2, unitCount - 1, MODE_DYNAMIC);
  setNotation(NOTATION_A1);
  return template;
}

export function dropInput(template: usize): void {
  dropTemplate(template);
  forgetInput();
}

/** Drops names that only the compiled text uses. */
function forgetInput(): void {
  forgetNames(namesBefore);
  forgetMissing(missingBefore);
}

/**
 * Returns whether the text of a template compiles to the same template again; templates are
 * interned, so their addresses are compared.
 */
export function readsBack(template: usize, literals: usize, isStored: bool): bool {
  unparse(at<Template>(template), literals, 0, 0, isStored);
  const notation = isStored ? NOTATION_STORED : NOTATION_A1;
  const read = compileIn(notation, unparsedUnits(), unparsedLength());
  if (!read) return false;
  // A new template has no holder yet.
  holdTemplate(read);
  dropTemplate(read);
  if (read != template) return false;
  const again = keepConstants();
  const count = at<Template>(template).constantCount;
  const isSame = memory.compare(literals, again, (<usize>count) << 4) == 0;
  dropConstants(again, count);
  return isSame;
}
