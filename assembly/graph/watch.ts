import {
  COLUMN_LIMIT,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  ROW_LIMIT,
} from '../abi';
import { bytesIn, newBuffer, pushWord, wordAt } from '../formula/buffer';
import { TEMPLATE_NAMES, TEMPLATE_VOLATILE, Template, recordOf } from '../formula/template';
import {
  RECORD_AREA,
  RECORD_STRUCTURED,
  REFERENCE_WRAPS,
  ReferenceRecord,
  TABLE_THIS_ROW,
} from '../formula/token';
import { MODEL_SHEETS, MODEL_UNLISTED, SHEET_DELETED, indexOfSheet, model } from '../grid/model';
import { Name, Table, findTable, resolveName, tableAround } from '../grid/name';
import { Column, SHEET_WATCHERS, Sheet } from '../grid/sheet';
import { allocateZeroed } from '../memory/arena';
import { addressOf, at } from '../memory/pointer';
import { wrapped } from '../vm/record';
import { clearVector, item, lengthOfVector, reserve } from '../memory/vector';
import { nameCount, namesIn } from './name-walk';
import {
  RUN_DEAD,
  RUN_LISTED,
  RUN_READS_ABOVE,
  RUN_READS_BELOW,
  Run,
  makeVolatile,
  letGo,
} from './run';
import { WatchList, addEntry } from './watch-list';

/** Widest rectangle that is listed at each of its columns; a wider one is listed with the sheet. */
const WIDE_COLUMNS: u32 = 32;

// Rectangle that a record covers over all rows of a run.
let hullRow0: i32 = 0;
let hullRow1: i32 = 0;
let hullColumn0: i32 = 0;
let hullColumn1: i32 = 0;

/** Brings the watch lists up to date with the runs made since. */
export function listRuns(): void {
  const count = lengthOfVector(MODEL_UNLISTED);
  for (let index: u32 = 0; index < count; index++) {
    const address = item(MODEL_UNLISTED, index);
    const run = at<Run>(address);
    if (!(run.flags & (RUN_DEAD | RUN_LISTED))) listRun(address, run);
    letGo(address);
  }
  clearVector(MODEL_UNLISTED);
}

function listRun(address: usize, run: Run): void {
  run.flags |= RUN_LISTED;
  const template = at<Template>(run.template);
  listTemplate(address, run, template);
  if (template.flags & TEMPLATE_NAMES) listNames(address, run, template);
}

function listTemplate(address: usize, run: Run, template: Template): void {
  if (template.flags & TEMPLATE_VOLATILE) makeVolatile(address);
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    listRecord(address, run, recordOf(template, index));
  }
}

/**
 * Registers the cells that the names of a formula read, and the names inside those names; each name
 * once, however often it occurs.
 */
function listNames(address: usize, run: Run, template: Template): void {
  const walk = ++model().nameWalks;
  const sheet = <usize>at<Column>(run.column).sheet;
  const found = newBuffer(256);
  noteNames(found, template, sheet, walk);
  for (let index: u32 = 0; index < bytesIn(found) >> 2; index++) {
    const name = at<Name>(wordAt(found, index));
    if (!name.template) {
      listTableName(address, run, name.text);
      continue;
    }
    const definition = at<Template>(name.template);
    listTemplate(address, run, definition);
    if (definition.flags & TEMPLATE_NAMES) noteNames(found, definition, sheet, walk);
  }
}

/** Adds the names in a template that this walk has not visited. */
function noteNames(found: usize, template: Template, sheet: usize, walk: u32): void {
  const names = namesIn(template);
  for (let index: u32 = 0; index < nameCount(names); index++) {
    const address = resolveName(wordAt(names, index), sheet);
    const name = at<Name>(address);
    if (name.walk == walk) continue;
    name.walk = walk;
    pushWord(found, <u32>address);
  }
}

function listRecord(address: usize, run: Run, record: ReferenceRecord): void {
  const column = at<Column>(run.column);
  if (record.kind == RECORD_STRUCTURED) return listStructured(address, run, record);
  if (record.kind != RECORD_AREA) return;
  measure(record, run, column.number);
  if (hullRow0 > hullRow1 || hullColumn0 > hullColumn1) return;
  const sheet: usize = record.sheet ? record.sheet : column.sheet;
  if (record.lastSheet) return listSpan(address, record, sheet);
  noteSelf(run, record, sheet == column.sheet, column.number);
  watch(address, addressOf(record), sheet);
}

/** Finds the rectangle that a record covers over all rows of a run, within the grid. */
function measure(record: ReferenceRecord, run: Run, column: u32): void {
  if (record.flags & REFERENCE_WRAPS) return measureWrapped(record, run, column);
  const flags = <u32>record.flags;
  const first = <i32>run.row0;
  const last = <i32>run.row1;
  const row0 = flags & REFERENCE_ROW0_ABSOLUTE ? 0 : 1;
  const row1 = flags & REFERENCE_ROW1_ABSOLUTE ? 0 : 1;
  hullRow0 = min(record.row0 + row0 * first, record.row1 + row1 * first);
  hullRow1 = max(record.row0 + row0 * last, record.row1 + row1 * last);
  const a = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : <i32>column);
  const b = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : <i32>column);
  hullColumn0 = max(0, min(a, b));
  hullColumn1 = min(COLUMN_LIMIT - 1, max(a, b));
  hullRow0 = max(0, hullRow0);
  hullRow1 = min(ROW_LIMIT - 1, hullRow1);
}

/** Finds the rectangle for a defined name, whose references wrap around the grid. */
function measureWrapped(record: ReferenceRecord, run: Run, column: u32): void {
  const flags = <u32>record.flags;
  hullRow0 = ROW_LIMIT;
  hullRow1 = -1;
  for (let turn = 0; turn < 2; turn++) {
    const corner = turn ? record.row1 : record.row0;
    const isFixed = flags & (turn ? REFERENCE_ROW1_ABSOLUTE : REFERENCE_ROW0_ABSOLUTE);
    const low = isFixed ? corner : corner + <i32>run.row0;
    const high = isFixed ? corner : corner + <i32>run.row1;
    // Some rows of the run wrap around and others do not, so they read both ends.
    const isCut = low < ROW_LIMIT && high >= ROW_LIMIT;
    hullRow0 = min(hullRow0, isCut ? 0 : wrapped(low, ROW_LIMIT));
    hullRow1 = max(hullRow1, isCut ? ROW_LIMIT - 1 : wrapped(high, ROW_LIMIT));
  }
  const a = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : <i32>column);
  const b = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : <i32>column);
  hullColumn0 = min(wrapped(a, COLUMN_LIMIT), wrapped(b, COLUMN_LIMIT));
  hullColumn1 = max(wrapped(a, COLUMN_LIMIT), wrapped(b, COLUMN_LIMIT));
}

/** Notes in which direction a run depends on itself. */
function noteSelf(run: Run, record: ReferenceRecord, sameSheet: bool, column: u32): void {
  if (record.flags & REFERENCE_WRAPS) return;
  if (!sameSheet || <i32>column < hullColumn0 || <i32>column > hullColumn1) return;
  if (hullRow0 > <i32>run.row1 || hullRow1 < <i32>run.row0) return;
  const flags = <u32>record.flags;
  const readsAbove = record.row0 < 0 || flags & REFERENCE_ROW0_ABSOLUTE;
  const readsBelow = record.row1 > 0 && !(flags & REFERENCE_ROW1_ABSOLUTE);
  if (readsAbove && !readsBelow) run.flags |= RUN_READS_ABOVE;
  if (readsBelow && !readsAbove) run.flags |= RUN_READS_BELOW;
}

/** A 3-D reference: the rectangle on every sheet from the first to the last. */
function listSpan(address: usize, record: ReferenceRecord, first: usize): void {
  const from = indexOfSheet(MODEL_SHEETS, first);
  const to = indexOfSheet(MODEL_SHEETS, record.lastSheet);
  const end = min(max(from, to) + 1, lengthOfVector(MODEL_SHEETS));
  for (let index = min(from, to); index < end; index++) {
    watch(address, addressOf(record), item(MODEL_SHEETS, index));
  }
}

/** Lists the whole table of a structured reference; evaluation finds the part that it reads. */
function listStructured(address: usize, run: Run, record: ReferenceRecord): void {
  const column = at<Column>(run.column);
  const found = record.table
    ? findTable(record.table)
    : tableAround(column.sheet, run.row0, column.number);
  if (!found) return;
  const table = at<Table>(found);
  measureTable(table);
  if (record.parts & TABLE_THIS_ROW) {
    hullRow0 = max(hullRow0, <i32>run.row0);
    hullRow1 = min(hullRow1, <i32>run.row1);
    if (hullRow0 > hullRow1) return;
  }
  watch(address, addressOf(record), table.sheet);
}

/** Lists a word that is no name but may be a table, and then stands for its data. */
function listTableName(address: usize, run: Run, text: usize): void {
  const found = findTable(text);
  if (!found) return;
  measureTable(at<Table>(found));
  watch(address, 0, at<Table>(found).sheet);
}

function measureTable(table: Table): void {
  hullRow0 = <i32>table.row;
  hullRow1 = <i32>(table.row + table.rows - 1);
  hullColumn0 = <i32>table.column;
  hullColumn1 = <i32>(table.column + table.columns - 1);
}

function watch(run: usize, record: usize, sheet: usize): void {
  if (at<Sheet>(sheet).state == SHEET_DELETED) return;
  if (<u32>(hullColumn1 - hullColumn0) >= WIDE_COLUMNS) {
    return addWatch(wideList(sheet), run, record);
  }
  for (let column = hullColumn0; column <= hullColumn1; column++) {
    addWatch(columnList(sheet, column), run, record);
  }
}

function addWatch(list: usize, run: usize, record: usize): void {
  const entry = addEntry(at<WatchList>(list), run);
  entry.row0 = hullRow0;
  entry.row1 = hullRow1;
  entry.column0 = hullColumn0;
  entry.column1 = hullColumn1;
  entry.record = <u32>record;
}

function wideList(sheet: usize): usize {
  const record = at<Sheet>(sheet);
  if (!record.wideWatchers) record.wideWatchers = <u32>allocateZeroed(offsetof<WatchList>());
  return record.wideWatchers;
}

function columnList(sheet: usize, column: u32): usize {
  const record = at<Sheet>(sheet);
  if (column >= record.watchersLength) {
    reserve(sheet + SHEET_WATCHERS, column + 1);
    const from = <usize>record.watchers + ((<usize>record.watchersLength) << 2);
    memory.fill(from, 0, (<usize>(column + 1 - record.watchersLength)) << 2);
    record.watchersLength = column + 1;
  }
  const place = <usize>record.watchers + ((<usize>column) << 2);
  if (!load<u32>(place)) store<u32>(place, <u32>allocateZeroed(offsetof<WatchList>()));
  return load<u32>(place);
}

/** The list of a column's rectangles, or 0. */
export function watchersOf(sheet: usize, column: u32): usize {
  const record = at<Sheet>(sheet);
  if (column >= record.watchersLength) return 0;
  return load<u32>(<usize>record.watchers + ((<usize>column) << 2));
}
