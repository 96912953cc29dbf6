import { ERROR_CALCULATION, KIND_STRING } from '../../abi';
import { columnAt, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { FirstRows, firstCount, firstRowAt, firstRows, hasBlank } from '../../indexes/first-rows';
import { hashFolded, hashWord, noteProbe } from '../../memory/keyed-hash';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { TEXT_HEADER, equalTexts, lengthOf } from '../../memory/text';
import { answerArray, answerError, booleanOr, failed } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import { View, itemKind, itemPayload, viewItem } from '../../vm/view';
import { openArrayArgument, pickLines } from './dynamic-filter';

/** The lines of the view that are compared. */
let byRow: bool = false;
let across: u32 = 0;

function readLineItem(view: View, line: u32, place: u32): void {
  if (byRow) viewItem(view, line, place);
  else viewItem(view, place, line);
}

function hashLine(view: View, line: u32): u32 {
  let hash: u64 = 0;
  for (let place: u32 = 0; place < across; place++) {
    readLineItem(view, line, place);
    let word = itemPayload;
    if (itemKind == KIND_STRING) {
      const text = <usize>itemPayload;
      word = hashFolded(text + TEXT_HEADER, lengthOf(text));
    }
    hash = hashWord(hash ^ word) + itemKind;
  }
  return <u32>hash;
}

function sameLines(view: View, left: u32, right: u32): bool {
  for (let place: u32 = 0; place < across; place++) {
    readLineItem(view, left, place);
    const kind = itemKind;
    const payload = itemPayload;
    readLineItem(view, right, place);
    if (kind != itemKind) return false;
    if (payload == itemPayload) continue;
    if (kind != KIND_STRING || !equalTexts(<usize>payload, <usize>itemPayload)) return false;
  }
  return true;
}

/** UNIQUE(array, [by column], [exactly once]): the first of equal lines stays; case is ignored. */
export function evaluateUnique(): void {
  const view = openArrayArgument(0);
  byRow = !booleanOr(1, false);
  const once = booleanOr(2, false);
  if (failed()) return;
  const known: usize = byRow && !once ? knownLines(view) : 0;
  if (known) return answerLines(view, known, knownCount);
  across = byRow ? view.usedColumns : view.usedRows;
  const total = byRow ? view.rows : view.columns;
  // Lines behind the used ones are all blank, so two of them stand for all.
  const lines = min(total, (byRow ? view.usedRows : view.usedColumns) + 2);
  let bucketCount: u32 = 16;
  while (bucketCount < lines << 1) bucketCount <<= 1;
  const buckets = scratch(bucketCount << 2);
  memory.fill(buckets, 0, (<usize>bucketCount) << 2);
  const list = scratch(lines << 2);
  const counts = scratch(lines << 2);
  const hashes = scratch(lines << 2);
  let count: u32 = 0;
  for (let line: u32 = 0; line < lines && !suspended; line++) {
    const hash = hashLine(view, line);
    let place = hash & (bucketCount - 1);
    while (true) {
      const bucket = buckets + ((<usize>place) << 2);
      const found = load<u32>(bucket);
      if (!found) {
        store<u32>(list + ((<usize>count) << 2), line);
        store<u32>(counts + ((<usize>count) << 2), 1);
        store<u32>(hashes + ((<usize>count) << 2), hash);
        store<u32>(bucket, ++count);
        break;
      }
      const entry = (<usize>(found - 1)) << 2;
      noteProbe();
      // Lines are compared last, as that is work the cell pays for.
      if (load<u32>(hashes + entry) == hash && sameLines(view, load<u32>(list + entry), line)) {
        store<u32>(counts + entry, load<u32>(counts + entry) + 1);
        break;
      }
      place = (place + 1) & (bucketCount - 1);
    }
  }
  if (once) count = keepSingles(list, counts, count);
  if (!count) return answerError(ERROR_CALCULATION);
  answerLines(view, list, count);
}

function answerLines(view: View, list: usize, count: u32): void {
  const array = pickLines(view, list, count, byRow);
  if (!failed()) answerArray(array);
}

/** Rows of a column from which what its cells share pays, and units of work for a row. */
const ROWS_LEAST: u32 = 48;
const ROW_UNITS: u32 = 32;

let knownCount: u32 = 0;

/** The lines of a column that are like none above them, where its index has them; or 0. */
function knownLines(view: View): usize {
  if (!view.sheet || view.columns != 1 || view.usedRows < ROWS_LEAST) return 0;
  const column = columnAt(view.sheet, view.column0);
  const end = view.row0 + view.usedRows;
  const known = column ? firstRows(indexOf(column), view.row0, end) : 0;
  if (!known) return 0;
  const first = at<FirstRows>(known);
  knownCount = firstCount;
  const list = scratch((knownCount + 1) << 2);
  for (let number: u32 = 0; number < knownCount; number++) {
    store<u32>(list + ((<usize>number) << 2), firstRowAt(first, number) - view.row0);
  }
  // Rows behind the used ones are blank.
  if (view.rows > view.usedRows && !hasBlank(first, end)) {
    store<u32>(list + ((<usize>knownCount) << 2), view.usedRows);
    knownCount++;
  }
  repeatWork(<u64>view.usedRows * ROW_UNITS);
  return list;
}

function keepSingles(list: usize, counts: usize, count: u32): u32 {
  let kept: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const offset = (<usize>index) << 2;
    if (load<u32>(counts + offset) != 1) continue;
    store<u32>(list + ((<usize>kept) << 2), load<u32>(list + offset));
    kept++;
  }
  return kept;
}
