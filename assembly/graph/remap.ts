import { AXIS_ROWS, COLUMN_LIMIT, REFERENCE_SINGLE, REMAP_INSERT, ROW_LIMIT } from '../abi';
import { insertIntoMerges } from '../grid/merged-areas';
import { bytesIn, newBuffer, pushWord, setWordAt, wordAt } from '../formula/buffer';
import {
  TEMPLATE_NAMES,
  TEMPLATE_PLACE,
  TEMPLATE_TABLES,
  Template,
  dropTemplate,
  holdTemplate,
  recordOf,
} from '../formula/template';
import { ReferenceRecord } from '../formula/token';
import { MODEL_NAMES, MODEL_SHEETS, MODEL_TABLES, model } from '../grid/model';
import { Name, Table } from '../grid/name';
import { COLUMN_RUNS, Column, Sheet, columnAt } from '../grid/sheet';
import { allocate, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { sortWords } from '../memory/sort';
import { clearVector, item, lengthOfVector, push } from '../memory/vector';
import { markCircular } from './circular';
import { markRows, propagate } from './dirty';
import {
  isParted,
  isTaken,
  landing,
  lineMapPieces,
  mapLine,
  mapLines,
  mapped0,
  mapped1,
  openLineMap,
  openSpansMap,
  pieceBehind,
  pieceEnd,
  pieceFrom,
} from './line-map';
import { moveColumns, moveRows } from './remap-cells';
import {
  carryTemplate,
  firstLine,
  isRelative0,
  isRelative1,
  lastLine,
  mustRecompute,
  openTemplateMap,
  readsEdited,
  spansAxis,
} from './remap-template';
import { Run, constantsAt, killRun, movedPart } from './run';
import { liftSpills, lowerSpills } from './spill-move';
import { moveVisibility } from './visibility';
import { unlistSheet } from './watch-reset';

/**
 * Inserts, deletes and moves rows or columns: cells move, references follow the cells they mean,
 * and only formulas whose references gained or lost cells are computed again. Runs are split where
 * their rows separate.
 */
let edited: usize = 0;
let axis: u32 = 0;
/** Runs to be computed again, in scratch memory. */
let stale: usize = 0;

export function remap(
  sheet: usize,
  onAxis: u32,
  operation: u32,
  from: u32,
  count: u32,
  before: u32,
): void {
  begin(sheet, onAxis);
  openLineMap(operation, from, count, before, lineCount());
  // After other edits than an insertion the host sends the merged cells again.
  if (operation == REMAP_INSERT) insertIntoMerges(sheet, onAxis == AXIS_ROWS, from, count);
  carryAll(sheet);
}

/** Deletes spans, given as pairs of first line and count in ascending order. */
export function remapSpans(sheet: usize, onAxis: u32, spans: usize, count: u32): void {
  begin(sheet, onAxis);
  openSpansMap(spans, count, lineCount());
  carryAll(sheet);
}

function begin(sheet: usize, onAxis: u32): void {
  edited = sheet;
  axis = onAxis;
  liftSpills(sheet);
  propagate();
}

function lineCount(): u32 {
  return axis == AXIS_ROWS ? ROW_LIMIT : COLUMN_LIMIT;
}

function carryAll(sheet: usize): void {
  openTemplateMap(sheet, axis);
  stale = newBuffer(256);
  unlistSheet(sheet);
  carryNames();
  const sheets = lengthOfVector(MODEL_SHEETS);
  for (let index: u32 = 0; index < sheets; index++) carrySheet(item(MODEL_SHEETS, index));
  moveCells(sheet);
  moveTables();
  lowerSpills(sheet);
  markStale();
}

function moveCells(sheet: usize): void {
  if (axis != AXIS_ROWS) return moveColumns(sheet);
  moveVisibility(sheet);
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (column) moveRows(column);
  }
}

function markStale(): void {
  const count = bytesIn(stale) >> 2;
  for (let index: u32 = 0; index < count; index++) {
    const address = wordAt(stale, index);
    markRows(address, at<Run>(address).row0, at<Run>(address).row1);
  }
  if (model().hadCircular) markCircular();
  propagate();
}

function carrySheet(sheet: usize): void {
  const record = at<Sheet>(sheet);
  for (let number: u32 = 0; number < record.columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (column && at<Column>(column).runsLength) carryColumn(column, sheet == edited);
  }
}

/** Rebuilds a column's list of runs, sorted, because a move changes their order. */
function carryColumn(column: usize, isEdited: bool): void {
  const runs = column + COLUMN_RUNS;
  const count = lengthOfVector(runs);
  const old = newBuffer(count << 2);
  let isConcerned = isEdited;
  for (let index: u32 = 0; index < count; index++) {
    pushWord(old, item(runs, index));
    if (!isConcerned) isConcerned = isRead(item(runs, index), at<Column>(column).sheet);
  }
  if (!isConcerned) return;
  clearVector(runs);
  const gone = isEdited && axis != AXIS_ROWS && mapLine(at<Column>(column).number) < 0;
  for (let index: u32 = 0; index < count; index++) {
    const address = wordAt(old, index);
    if (gone) killRun(address);
    else if (isEdited || isRead(address, at<Column>(column).sheet)) carryRun(address, isEdited);
    else push(runs, address);
  }
  sortRuns(runs);
}

/**
 * Returns whether a run's formulas read the edited sheet, or may do so through a name or a table.
 */
function isRead(address: usize, home: usize): bool {
  const template = at<Template>(at<Run>(address).template);
  if (template.flags & (TEMPLATE_NAMES | TEMPLATE_TABLES)) return true;
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    if (record.lastSheet || readsEdited(record, home)) return true;
  }
  return false;
}

function byRow(left: u32, right: u32): i32 {
  return <i32>at<Run>(left).row0 - <i32>at<Run>(right).row0;
}

/** Sorts a list of runs by first row; only a move puts it out of order. */
function sortRuns(runs: usize): void {
  const count = lengthOfVector(runs);
  const spare = allocate(count << 2);
  sortWords(load<u32>(runs), spare, count, byRow);
  release(spare, count << 2);
}

/** Splits a run where its rows separate, and moves the parts. */
function carryRun(address: usize, isEdited: bool): void {
  const run = at<Run>(address);
  const breaks = newBuffer(128);
  const template = at<Template>(run.template);
  const home = <usize>at<Column>(run.column).sheet;
  if (axis == AXIS_ROWS) {
    if (isEdited) addBreaks(breaks, run, 0);
    for (let index: u32 = 0; index < template.referenceCount; index++) {
      const record = recordOf(template, index);
      if (!readsEdited(record, home) || spansAxis(record)) continue;
      if (isRelative0(record)) addBreaks(breaks, run, record.row0);
      if (isRelative1(record)) addBreaks(breaks, run, record.row1);
      addLandingBreaks(breaks, run, record);
    }
    sortBreaks(breaks);
  }
  let from = run.row0;
  const count = bytesIn(breaks) >> 2;
  for (let index: u32 = 0; index < count; index++) {
    const next = wordAt(breaks, index);
    if (next <= from || next > run.row1) continue;
    carryPart(address, from, next - 1, isEdited);
    from = next;
  }
  carryPart(address, from, run.row1, isEdited);
  killRun(address);
}

/**
 * Adds the rows of a run at which its own line, or a corner of a reference, passes from one piece
 * to the next.
 */
function addBreaks(breaks: usize, run: Run, offset: i32): void {
  const first = max(0, <i32>run.row0 + offset);
  const last = <i32>run.row1 + offset;
  for (let index = pieceBehind(first); index < lineMapPieces(); index++) {
    if (<i32>pieceFrom(index) > last) break;
    addBreak(breaks, run, <i32>pieceFrom(index) - offset);
    addBreak(breaks, run, <i32>pieceEnd(index) - offset);
  }
}

/**
 * Adds breaks for a range with a fixed corner that a move takes along and another corner that goes
 * down with the rows: in rows where it reaches the moved lines, these still belong to the range.
 */
function addLandingBreaks(breaks: usize, run: Run, record: ReferenceRecord): void {
  const walks0 = isRelative0(record);
  if (walks0 == isRelative1(record) || !isTaken(walks0 ? record.row1 : record.row0)) return;
  const line = <i32>landing - (walks0 ? record.row0 : record.row1);
  addBreak(breaks, run, line - 1);
  addBreak(breaks, run, line + 1);
}

function addBreak(breaks: usize, run: Run, row: i32): void {
  if (row > <i32>run.row0 && row <= <i32>run.row1) pushWord(breaks, row);
}

/**
 * Sorts breaks by a heap, because many deleted spans make many, mostly sorted for each reference.
 */
function sortBreaks(buffer: usize): void {
  const count = <i32>(bytesIn(buffer) >> 2);
  let isSorted = true;
  for (let index = 1; index < count && isSorted; index++) {
    isSorted = wordAt(buffer, index - 1) <= wordAt(buffer, index);
  }
  if (isSorted) return;
  for (let root = (count >> 1) - 1; root >= 0; root--) sink(buffer, root, count);
  for (let end = count - 1; end > 0; end--) {
    const largest = wordAt(buffer, 0);
    setWordAt(buffer, 0, wordAt(buffer, end));
    setWordAt(buffer, end, largest);
    sink(buffer, 0, end);
  }
}

/** Lets the word at `root` sink below larger ones. */
function sink(buffer: usize, root: i32, count: i32): void {
  const moving = wordAt(buffer, root);
  let place = root;
  for (;;) {
    let child = (place << 1) + 1;
    if (child >= count) break;
    if (child + 1 < count && wordAt(buffer, child + 1) > wordAt(buffer, child)) child++;
    if (wordAt(buffer, child) <= moving) break;
    setWordAt(buffer, place, wordAt(buffer, child));
    place = child;
  }
  setWordAt(buffer, place, moving);
}

/**
 * Moves rows of a run that stay together, one by one if a deleted corner slides differently for
 * each.
 */
function carryPart(address: usize, row0: u32, row1: u32, isEdited: bool): void {
  const run = at<Run>(address);
  if (isEdited && axis == AXIS_ROWS && mapLine(row0) < 0) return;
  if (row0 < row1 && axis == AXIS_ROWS && slides(run, row0)) {
    for (let row = row0; row <= row1; row++) placePart(address, row, row, isEdited);
    return;
  }
  placePart(address, row0, row1, isEdited);
}

/**
 * Returns whether an area has a corner on a line that is deleted or moved while other lines of the
 * area stay.
 */
function slides(run: Run, row: u32): bool {
  const template = at<Template>(run.template);
  const home = <usize>at<Column>(run.column).sheet;
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    if (!readsEdited(record, home) || record.flags & REFERENCE_SINGLE || spansAxis(record))
      continue;
    const first = firstLine(record, row);
    const last = lastLine(record, row);
    if (first < 0 || last < 0) continue;
    if (isParted(first, last)) {
      const walks = isTaken(first) ? isRelative0(record) : isRelative1(record);
      if (walks) return true;
    }
    if (isRelative0(record) && mapLine(first) < 0) return true;
    if (isRelative1(record) && mapLine(last) < 0) return true;
  }
  return false;
}

function placePart(address: usize, row0: u32, row1: u32, isEdited: bool): void {
  const run = at<Run>(address);
  const column = at<Column>(run.column);
  const movesRows = isEdited && axis == AXIS_ROWS;
  const movesColumns = isEdited && axis != AXIS_ROWS;
  const newRow0 = movesRows ? <u32>mapLine(row0) : row0;
  const newColumn = movesColumns ? <u32>mapLine(column.number) : column.number;
  const literals = constantsAt(run, row0);
  const template = carryTemplate(
    run.template,
    literals,
    column.sheet,
    row0,
    column.number,
    newRow0,
    newColumn,
  );
  const part = movedPart(address, row0, row1, template, newRow0);
  push(<usize>run.column + COLUMN_RUNS, <u32>part);
  const hasMoved = newRow0 != row0 || newColumn != column.number;
  const flags = at<Template>(template).flags;
  const dependsOnPlace = (flags & TEMPLATE_PLACE) != 0;
  if (
    mustRecompute ||
    dependsOnPlace ||
    (hasMoved && flags & TEMPLATE_TABLES) ||
    flags & TEMPLATE_NAMES
  ) {
    pushWord(stale, <u32>part);
  }
}

/** Rewrites the formulas of names, which are in no row. */
function carryNames(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_NAMES); index++) {
    const name = at<Name>(item(MODEL_NAMES, index));
    if (!name.template) continue;
    const carried = carryTemplate(name.template, name.constants, name.scope, 0, 0, 0, 0);
    if (carried == <usize>name.template) continue;
    holdTemplate(carried);
    dropTemplate(name.template);
    name.template = <u32>carried;
  }
}

function moveTables(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_TABLES); index++) {
    const table = at<Table>(item(MODEL_TABLES, index));
    if (<usize>table.sheet != edited) continue;
    if (axis == AXIS_ROWS) {
      if (!mapLines(table.row, table.row + table.rows - 1)) continue;
      table.row = <u32>mapped0;
      table.rows = <u32>(mapped1 - mapped0 + 1);
    } else {
      if (!mapLines(table.column, table.column + table.columns - 1)) continue;
      table.column = <u32>mapped0;
    }
  }
}
