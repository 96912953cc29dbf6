import {
  MODE_DYNAMIC,
  Template,
  compile,
  dropConstants,
  dropTemplate,
  holdTemplate,
  keepConstants,
  recordOf,
} from '../formula/template';
import { bytesIn, newBuffer, pushWord, wordAt } from '../formula/buffer';
import { setOfName } from '../formula/entry-rule';
import { setHome } from '../formula/lexer';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from '../formula/unparse';
import { MODEL_NAMES, MODEL_SHEETS, model } from '../grid/model';
import { Name, ensureName } from '../grid/name';
import { COLUMN_RUNS, Column, Sheet, columnAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { item, lengthOfVector, setItem } from '../memory/vector';
import { markRows, propagate } from './dirty';
import { Run, constantsAt, killRun, movedPart } from './run';

/**
 * Relinks formulas whose meaning changes without an edit of theirs: by names, tables, or 3-D
 * references.
 */

/** Runs that the current call has replaced, in scratch memory. */
let renewed: usize = 0;

/** Lists all runs whose template has one of these flags again, and computes them. */
export function refresh(flags: u32): void {
  // No run is listed yet, and all cells are pending.
  if (model().isFresh) return;
  renewed = newBuffer(256);
  forEachRun(flags, false);
  markRenewed();
}

function markRenewed(): void {
  const count = bytesIn(renewed) >> 2;
  for (let index: u32 = 0; index < count; index++) {
    const run = at<Run>(wordAt(renewed, index));
    markRows(wordAt(renewed, index), run.row0, run.row1);
  }
  propagate();
}

/** Calls back for runs whose template has one of these flags; 0 means all. */
function forEachRun(flags: u32, relinks: bool): void {
  const sheets = lengthOfVector(MODEL_SHEETS);
  for (let index: u32 = 0; index < sheets; index++) {
    const sheet = item(MODEL_SHEETS, index);
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (column) renewColumn(column, flags, relinks);
    }
  }
}

function renewColumn(column: usize, flags: u32, relinks: bool): void {
  const runs = column + COLUMN_RUNS;
  for (let index: u32 = 0; index < lengthOfVector(runs); index++) {
    const address = item(runs, index);
    const run = at<Run>(address);
    if (flags && !(at<Template>(run.template).flags & flags)) continue;
    let template = <usize>run.template;
    if (relinks) {
      template = relinked(run);
      if (!template) continue;
    }
    const copy = movedPart(address, run.row0, run.row1, template, run.row0);
    setItem(runs, index, <u32>copy);
    killRun(address);
    pushWord(renewed, <u32>copy);
  }
}

/** Defines a name; a formula of length 0 removes its definition. */
export function defineName(text: usize, scope: usize, units: usize, length: u32): bool {
  setHome(0, 0);
  let template: usize = 0;
  if (length) {
    setOfName(true);
    template = compile(units, length, MODE_DYNAMIC);
    setOfName(false);
    if (!template) return false;
    holdTemplate(template);
  }
  const constants = template ? keepConstants() : 0;
  const name = at<Name>(ensureName(text, scope));
  replaceDefinition(name, template, constants);
  return true;
}

function replaceDefinition(name: Name, template: usize, constants: usize): void {
  if (name.template) {
    dropConstants(name.constants, at<Template>(name.template).constantCount);
    dropTemplate(name.template);
  }
  name.template = <u32>template;
  name.constants = <u32>constants;
}

/** Record of the formerly missing sheet, which relinkAwaiting looks for. */
let awaited: u32 = 0;

/** Compiles formulas again that name a missing sheet, now that there is one of that name. */
export function relinkAwaiting(missing: usize): void {
  awaited = <u32>missing;
  openUnparser();
  renewed = newBuffer(256);
  forEachRun(0, true);
  relinkNames();
  awaited = 0;
  markRenewed();
}

function namesAwaited(template: Template): bool {
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    if (record.sheet == awaited || record.lastSheet == awaited) return true;
  }
  return false;
}

function relinkNames(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_NAMES); index++) {
    const name = at<Name>(item(MODEL_NAMES, index));
    if (!name.template) continue;
    setOfName(true);
    const template = compiledAnew(name.template, name.constants, 0, 0);
    setOfName(false);
    if (!template) continue;
    holdTemplate(template);
    dropTemplate(name.template);
    name.template = <u32>template;
  }
}

function relinked(run: Run): usize {
  const column = at<Column>(run.column);
  return compiledAnew(run.template, constantsAt(run, run.row0), run.row0, column.number);
}

/** Returns the template with the new sheet; 0 if it does not name it. */
function compiledAnew(template: usize, literals: usize, row: u32, column: u32): usize {
  if (!namesAwaited(at<Template>(template))) return 0;
  unparse(at<Template>(template), literals, row, column, false);
  setHome(row, column);
  return compile(unparsedUnits() + 2, unparsedLength() - 1, at<Template>(template).mode);
}
