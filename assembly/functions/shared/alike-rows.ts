import { IndexRecord } from '../../indexes/index-record';
import { NO_ALIKE, firstAlike } from '../../indexes/key-rows';
import { scratch } from '../../memory/scratch';

/** The first row, from 0 on, that has what each row has; and how many have that, by first row. */
let firsts: usize = 0;
let counts: usize = 0;

/** Looks at rows of a column that are filed: which of them hold the same. */
export function tallyRows(index: IndexRecord, row0: u32, rows: u32): void {
  firsts = scratch(rows << 2);
  counts = scratch(rows << 2);
  memory.fill(counts, 0, (<usize>rows) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    const found = firstAlike(index, row0, row0 + row);
    const first = found == NO_ALIKE ? row : found - row0;
    const count = counts + ((<usize>first) << 2);
    store<u32>(firsts + ((<usize>row) << 2), first);
    store<u32>(count, load<u32>(count) + 1);
  }
}

/** The first row that is like a row. */
export function firstOf(row: u32): u32 {
  return load<u32>(firsts + ((<usize>row) << 2));
}

/** How many rows are like a first one; 0 for any other. */
export function alikeTo(row: u32): u32 {
  return load<u32>(counts + ((<usize>row) << 2));
}
