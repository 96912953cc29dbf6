import { MODEL_SHEETS, MODEL_UNLISTED } from '../grid/model';
import { COLUMN_RUNS, Column, Sheet, columnAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { item, lengthOfVector } from '../memory/vector';
import { RUN_LISTED, RUN_READS_ABOVE, RUN_READS_BELOW, Run, hold } from './run';
import { WatchList, clearList } from './watch-list';

/** Forgets who reads a sheet; the caller sees to it that all who do are listed again. */
export function unlistSheet(sheet: usize): void {
  const record = at<Sheet>(sheet);
  if (record.wideWatchers) clearList(at<WatchList>(record.wideWatchers));
  for (let column: u32 = 0; column < record.watchersLength; column++) {
    const list = load<u32>(<usize>record.watchers + ((<usize>column) << 2));
    if (list) clearList(at<WatchList>(list));
  }
}

/** Forgets all watch lists and has every run listed anew, after sheets came, went or moved. */
export function relistAll(): void {
  const count = lengthOfVector(MODEL_SHEETS);
  for (let index: u32 = 0; index < count; index++) unlistSheet(item(MODEL_SHEETS, index));
  for (let index: u32 = 0; index < count; index++) {
    const sheet = item(MODEL_SHEETS, index);
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (column) relistColumn(column);
    }
  }
}

function relistColumn(column: usize): void {
  const count = at<Column>(column).runsLength;
  for (let index: u32 = 0; index < count; index++) {
    const address = item(column + COLUMN_RUNS, index);
    const run = at<Run>(address);
    if (!(run.flags & RUN_LISTED)) continue;
    run.flags &= ~(RUN_LISTED | RUN_READS_ABOVE | RUN_READS_BELOW);
    hold(address, MODEL_UNLISTED);
  }
}
