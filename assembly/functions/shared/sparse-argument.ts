import { KIND_ARRAY, KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER } from '../../abi';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { rowsOf } from '../../vm/array';
import { argument, argumentCount } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import {
  ColumnReader,
  READS_SPARSE,
  READS_VALUE,
  nextPlace,
  openReader,
  passTo,
  readRow,
} from '../../vm/column-reader';
import { SLOT_BYTES, kindOf, numberOf, wordOf } from '../../vm/slot';
import { NO_ROW, Sparse, sparseIn } from '../../vm/sparse';

/** Units of work for an item that is read and taken. */
const ITEM_UNITS: u32 = 6;

/** The sparse column of a slot whose rest an aggregate of numbers passes over, or 0. */
export function skippedRest(slot: usize): usize {
  const sparse = sparseIn(slot);
  if (!sparse) return 0;
  const rest = at<Sparse>(sparse).restKind;
  return rest == KIND_NUMBER || rest == KIND_ERROR ? 0 : chargedSparse(slot);
}

/** The sparse column of a slot whose rest is zero or no number: it adds nothing to a sum. */
export function vanishingRest(slot: usize): usize {
  const sparse = sparseIn(slot);
  return sparse && vanishes(at<Sparse>(sparse)) ? chargedSparse(slot) : 0;
}

/** The sparse column of a slot, whose items the cell pays for. */
export function chargedSparse(slot: usize): usize {
  repeatWork(<u64>rowsOf(wordOf(slot)) * ITEM_UNITS);
  return sparseIn(slot);
}

function vanishes(sparse: Sparse): bool {
  if (sparse.restKind == KIND_NUMBER) return sparse.restPayload == 0;
  return sparse.restKind != KIND_ERROR;
}

/** Sum of the products found last. */
export let sparseSum: f64 = 0;

/**
 * Sums the products of the arguments' rows where one of the first two is a sparse column that is
 * zero elsewhere. Returns false where the sum item by item may be another, or an error.
 */
export function sumSparsely(): bool {
  const leader = leadingSparse();
  if (leader < 0) return false;
  const rows = rowsOf(wordOf(argument(<u32>leader)));
  const readers = scratch(argumentCount << 2);
  for (let index: u32 = 0; index < argumentCount; index++) {
    const reader = openReader(argument(index), rows);
    if (!reader || hasError(at<ColumnReader>(reader))) return false;
    store<u32>(readers + ((<usize>index) << 2), <u32>reader);
  }
  const item = scratch(<u32>SLOT_BYTES);
  const first = readerAt(readers, <u32>leader);
  sparseSum = 0;
  for (let row = nextPlace(first); row != NO_ROW; row = nextPlace(first)) {
    sparseSum += productOf(readers, row, item);
  }
  repeatWork(<u64>rows * argumentCount * ITEM_UNITS);
  return true;
}

function readerAt(readers: usize, index: u32): ColumnReader {
  return at<ColumnReader>(load<u32>(readers + ((<usize>index) << 2)));
}

/** The first argument if it is sparse and vanishes, else the second; else -1. */
function leadingSparse(): i32 {
  for (let index: u32 = 0; index < min(argumentCount, 2); index++) {
    const sparse = sparseIn(argument(index));
    if (sparse && vanishes(at<Sparse>(sparse))) return index;
  }
  return -1;
}

/** Returns whether a reader has an error somewhere, or is no column. */
function hasError(reader: ColumnReader): bool {
  if (reader.mode == READS_VALUE) return true;
  if (reader.mode != READS_SPARSE) return (reader.kinds & (1 << KIND_ERROR)) != 0;
  const sparse = at<Sparse>(reader.source);
  let isFound = sparse.restKind == KIND_ERROR;
  for (let index: u32 = 0; index < sparse.count && !isFound; index++) {
    isFound = load<u8>(<usize>sparse.kinds + index) == KIND_ERROR;
  }
  return isFound;
}

function productOf(readers: usize, row: u32, item: usize): f64 {
  let product: f64 = 1;
  for (let index: u32 = 0; index < argumentCount; index++) {
    const reader = readerAt(readers, index);
    passTo(reader, row);
    readRow(reader, row, item);
    if (kindOf(item) == KIND_NUMBER) product *= numberOf(item);
    else product = 0;
  }
  return product;
}

/** Returns whether the rest of a sparse condition lets no row through, and is no error. */
export function refusesRest(slot: usize): bool {
  if (kindOf(slot) != KIND_ARRAY || !sparseIn(slot)) return false;
  const sparse = at<Sparse>(sparseIn(slot));
  const isTruth = sparse.restKind == KIND_NUMBER || sparse.restKind == KIND_BOOLEAN;
  return isTruth && sparse.restPayload == 0;
}
