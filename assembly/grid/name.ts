import { allocateZeroed, release } from '../memory/arena';
import { hashFolded, noteProbe } from '../memory/keyed-hash';
import { at } from '../memory/pointer';
import { TEXT_HEADER, dropText, equalTexts, internText, lengthOf } from '../memory/text';
import { item, lengthOfVector, push, removeItems } from '../memory/vector';
import { MODEL_NAMES, MODEL_TABLES, model } from './model';

/** A defined name. Formulas hold its address; an undefined one has no template. */
@unmanaged
export class Name {
  /** Interned. */
  text: u32 = 0;
  /** Hash of the name's text in one case. */
  hash: u32 = 0;
  /** Sheet of its scope, or 0 for the workbook. */
  scope: u32 = 0;
  /** Template of its formula, compiled for cell A1 of its scope (or of any sheet), or 0. */
  template: u32 = 0;
  /** Its constants: slots in the order of the template. */
  constants: u32 = 0;
  /**
   * In a name of the workbook: the number of sheets that define, or once defined, the same name.
   */
  scopedCount: u32 = 0;
  /** The next name of the same bucket. */
  next: u32 = 0;
  /** Number of the walk that visited the name last (graph/watch.ts). */
  walk: u32 = 0;
}

const BUCKETS_LEAST: u32 = 64;

function hashOf(text: usize): u32 {
  return <u32>hashFolded(text + TEXT_HEADER, lengthOf(text));
}

/** Returns where the chain of names with a hash begins. */
function bucketOf(hash: u32): usize {
  const root = model();
  return <usize>root.nameBuckets + ((<usize>(hash & (root.nameBucketCount - 1))) << 2);
}

/** Makes room for another name, so that chains stay short. */
function growBuckets(): void {
  const root = model();
  if (lengthOfVector(MODEL_NAMES) < root.nameBucketCount) return;
  if (root.nameBuckets) release(root.nameBuckets, root.nameBucketCount << 2);
  root.nameBucketCount = max(BUCKETS_LEAST, root.nameBucketCount << 1);
  root.nameBuckets = <u32>allocateZeroed(root.nameBucketCount << 2);
  for (let index: u32 = 0; index < lengthOfVector(MODEL_NAMES); index++) {
    linkName(item(MODEL_NAMES, index));
  }
}

function linkName(address: usize): void {
  const name = at<Name>(address);
  const bucket = bucketOf(name.hash);
  name.next = load<u32>(bucket);
  store<u32>(bucket, <u32>address);
}

/** The name with this text and scope, or 0. */
function exactName(text: usize, scope: usize): usize {
  if (!model().nameBuckets) return 0;
  const hash = hashOf(text);
  let address = load<u32>(bucketOf(hash));
  while (address) {
    noteProbe();
    const name = at<Name>(address);
    // Texts are compared last, because that costs fuel.
    if (name.hash == hash && name.scope == <u32>scope && equalTexts(name.text, text)) {
      return address;
    }
    address = name.next;
  }
  return 0;
}

/**
 * Returns the name that applies on a sheet: the sheet's own definition, else the workbook's.
 * Formulas hold the workbook's record, so that definitions may come and go without compiling them
 * again.
 */
export function resolveName(address: usize, sheet: usize): usize {
  const name = at<Name>(address);
  if (name.scope ? name.template != 0 : name.scopedCount == 0) return address;
  const other = exactName(name.text, name.scope ? 0 : sheet);
  return other && at<Name>(other).template ? other : address;
}

/** The name as a formula on `sheet` sees it, or 0. */
export function findName(text: usize, sheet: usize): usize {
  const own = exactName(text, sheet);
  if (own && at<Name>(own).template) return own;
  const shared = exactName(text, 0);
  return shared && at<Name>(shared).template ? shared : 0;
}

/** The name with exactly this scope, made if needed. */
export function ensureName(text: usize, scope: usize): usize {
  const known = exactName(text, scope);
  if (known) return known;
  growBuckets();
  const address = allocateZeroed(offsetof<Name>());
  at<Name>(address).text = <u32>internText(text);
  at<Name>(address).hash = hashOf(text);
  at<Name>(address).scope = <u32>scope;
  linkName(address);
  push(MODEL_NAMES, <u32>address);
  if (scope) at<Name>(ensureName(text, 0)).scopedCount++;
  return address;
}

/** Drops the latest names until `count` are left; nothing refers to them. */
export function forgetNames(count: u32): void {
  while (lengthOfVector(MODEL_NAMES) > count) {
    const last = lengthOfVector(MODEL_NAMES) - 1;
    const address = item(MODEL_NAMES, last);
    const name = at<Name>(address);
    removeItems(MODEL_NAMES, last, 1);
    let link = bucketOf(name.hash);
    while (load<u32>(link) != <u32>address) link = <usize>load<u32>(link) + offsetof<Name>('next');
    store<u32>(link, name.next);
    const shared = name.scope ? exactName(name.text, 0) : 0;
    if (shared) at<Name>(shared).scopedCount--;
    dropText(name.text);
    release(address, offsetof<Name>());
  }
}

/** A table, whose area structured references look up. */
@unmanaged
export class Table {
  name: u32 = 0;
  sheet: u32 = 0;
  row: u32 = 0;
  column: u32 = 0;
  rows: u32 = 0;
  columns: u32 = 0;
  /** Bit 0: has a header row, bit 1: has a totals row. */
  flags: u32 = 0;
  /** Array of interned column names. */
  columnNames: u32 = 0;
}

export function findTable(text: usize): usize {
  const count = lengthOfVector(MODEL_TABLES);
  for (let index: u32 = 0; index < count; index++) {
    const table = <usize>item(MODEL_TABLES, index);
    if (equalTexts(at<Table>(table).name, text)) return table;
  }
  return 0;
}

/** The table that covers a cell, for `[@Column]` written inside it; or 0. */
export function tableAround(sheet: usize, row: u32, column: u32): usize {
  const count = lengthOfVector(MODEL_TABLES);
  for (let index: u32 = 0; index < count; index++) {
    const address = <usize>item(MODEL_TABLES, index);
    const table = at<Table>(address);
    if (table.sheet != <u32>sheet) continue;
    if (row - table.row < table.rows && column - table.column < table.columns) return address;
  }
  return 0;
}

/** Number of a column by name, or -1. */
export function tableColumn(table: usize, name: usize): i32 {
  const record = at<Table>(table);
  for (let index: u32 = 0; index < record.columns; index++) {
    const text = load<u32>(<usize>record.columnNames + ((<usize>index) << 2));
    if (equalTexts(text, name)) return <i32>index;
  }
  return -1;
}
