import { Sheet } from '../grid/sheet';
import { at } from '../memory/pointer';
import { WatchList, clearList } from './watch-list';

/** Removes all readers of a sheet; the caller lists them again. */
export function unlistSheet(sheet: usize): void {
  const record = at<Sheet>(sheet);
  if (record.wideWatchers) clearList(at<WatchList>(record.wideWatchers));
  for (let column: u32 = 0; column < record.watchersLength; column++) {
    const list = load<u32>(<usize>record.watchers + ((<usize>column) << 2));
    if (list) clearList(at<WatchList>(list));
  }
}
