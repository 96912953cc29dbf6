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
import {
  bytesIn,
  emptyBuffer,
  newBuffer,
  pushUnits,
  pushWord,
  startOf,
  wordAt,
} from '../formula/buffer';
import { lex, setHome, tokenAt, tokenCount } from '../formula/lexer';
import { TOKEN_FUNCTION, TOKEN_NAME } from '../formula/token';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from '../formula/unparse';
import { MODEL_NAMES, MODEL_SHEETS, model } from '../grid/model';
import { Name, ensureName } from '../grid/name';
import { COLUMN_RUNS, Column, Sheet, columnAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { TEXT_HEADER, equalTexts, lengthOf, textFrom } from '../memory/text';
import { item, lengthOfVector, setItem } from '../memory/vector';
import { markRows, propagate } from './dirty';
import { Run, constantsAt, killRun, movedPart } from './run';

/** Formulas whose meaning changes without an edit of theirs: names, tables, 3-D references. */

/** Runs made anew by the present call, in scratch. */
let renewed: usize = 0;

/** Lists anew and computes again all runs whose template has one of these flags. */
export function refresh(flags: u32): void {
  // No run is listed yet then, and all cells are pending.
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

/** Runs whose template has one of these flags; 0 means all. */
function forEachRun(flags: u32, rewrites: bool): void {
  const sheets = lengthOfVector(MODEL_SHEETS);
  for (let index: u32 = 0; index < sheets; index++) {
    const sheet = item(MODEL_SHEETS, index);
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (column) renewColumn(column, flags, rewrites);
    }
  }
}

function renewColumn(column: usize, flags: u32, rewrites: bool): void {
  const runs = column + COLUMN_RUNS;
  for (let index: u32 = 0; index < lengthOfVector(runs); index++) {
    const address = item(runs, index);
    const run = at<Run>(address);
    if (flags && !(at<Template>(run.template).flags & flags)) continue;
    let template = <usize>run.template;
    if (rewrites) {
      template = rewritten(run);
      if (!template) continue;
    }
    const copy = movedPart(address, run.row0, run.row1, template, run.row0);
    setItem(runs, index, <u32>copy);
    killRun(address);
    pushWord(renewed, <u32>copy);
  }
}

/** Defines a name; 0 as length of the formula takes its definition away. */
export function defineName(text: usize, scope: usize, units: usize, length: u32): bool {
  setHome(0, 0);
  let template: usize = 0;
  if (length) {
    template = compile(units, length, MODE_DYNAMIC);
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

// What renameInFormulas looks for and puts in its place; both texts.
let oldName: usize = 0;
let newName: usize = 0;
let rewrite: usize = 0;
/** What relinkAwaiting looks for instead: the record that stands for a sheet that is not there. */
let awaited: u32 = 0;

/** Gives a name another text, in its definition and in all formulas that use it. */
export function renameName(from: usize, to: usize, scope: usize): void {
  const old = at<Name>(ensureName(from, scope));
  const now = at<Name>(ensureName(to, scope));
  replaceDefinition(now, old.template, old.constants);
  old.template = 0;
  old.constants = 0;
  oldName = from;
  newName = to;
  rewrite = newBuffer(512);
  openUnparser();
  renewed = newBuffer(256);
  forEachRun(u32.MAX_VALUE, true);
  rewriteNames();
  markRenewed();
}

/** Compiles anew what names a sheet that was not there, of which there is one of that name now. */
export function relinkAwaiting(missing: usize): void {
  awaited = <u32>missing;
  openUnparser();
  renewed = newBuffer(256);
  forEachRun(0, true);
  rewriteNames();
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

function rewriteNames(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_NAMES); index++) {
    const name = at<Name>(item(MODEL_NAMES, index));
    if (!name.template) continue;
    const template = renamed(name.template, name.constants, 0, 0);
    if (!template) continue;
    holdTemplate(template);
    dropTemplate(name.template);
    name.template = <u32>template;
  }
}

function rewritten(run: Run): usize {
  const column = at<Column>(run.column);
  return renamed(run.template, constantsAt(run, run.row0), run.row0, column.number);
}

/** The template with the new name in place of the old one; 0 when it does not use it. */
function renamed(template: usize, literals: usize, row: u32, column: u32): usize {
  if (awaited && !namesAwaited(at<Template>(template))) return 0;
  unparse(at<Template>(template), literals, row, column, false);
  const units = unparsedUnits() + 2;
  const length = unparsedLength() - 1;
  setHome(row, column);
  if (awaited) return compile(units, length, at<Template>(template).mode);
  if (!lex(units, length)) return 0;
  emptyBuffer(rewrite);
  let done: u32 = 0;
  for (let index: u32 = 0; index < tokenCount(); index++) {
    const token = tokenAt(index);
    if (token.kind != TOKEN_NAME && token.kind != TOKEN_FUNCTION) continue;
    const start = <u32>((<usize>token.value - units) >> 1);
    if (token.length != lengthOf(oldName)) continue;
    if (!equalTexts(textFrom(token.value, token.length), oldName)) continue;
    pushUnits(rewrite, units + ((<usize>done) << 1), start - done);
    pushUnits(rewrite, newName + TEXT_HEADER, lengthOf(newName));
    done = start + token.length;
  }
  if (!done) return 0;
  pushUnits(rewrite, units + ((<usize>done) << 1), length - done);
  return compile(startOf(rewrite), bytesIn(rewrite) >> 1, at<Template>(template).mode);
}
