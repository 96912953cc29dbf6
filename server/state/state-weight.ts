import type { BranchState } from './branch-state.ts';
import type { Scale } from './scale.ts';

/** Measured: a state with nothing in it, and its share of each sheet. */
const stateBytes = 3_400;
const sheetBytes = 600;
/** A span in both trees of an order. */
const spanBytes = 120;
/** A name, a table, a setting, a format of a line: an object with some texts. */
const entryBytes = 400;
/** Entries are counted anew after so many operations. */
const countedOperations = 256;

/** Entries beside the cells, counted at a head. */
const counted = new WeakMap<BranchState, { head: number; count: number }>();

/** What a state keeps in memory; what it shares with others on the scale counts once. */
export function weighState(state: BranchState, scale: Scale): void {
  if (!scale.isNew(state)) return;
  scale.add(stateBytes + entryCount(state) * entryBytes);
  for (const sheet of state.structure.sheets) {
    scale.add(sheetBytes);
    state.cellsOf(sheet).weigh(scale);
    for (const order of [sheet.rows, sheet.columns]) {
      if (scale.isNew(order)) scale.add(order.spanCount * spanBytes);
    }
  }
  state.history.weigh(scale);
  state.recent.weigh(scale);
  const { dictionary } = state.coding;
  if (scale.isNew(dictionary)) scale.add(dictionary.byteCount);
}

function entryCount(state: BranchState): number {
  const known = counted.get(state);
  if (known && state.head - known.head < countedOperations) return known.count;
  let count = 0;
  for (const section of state.sections()) {
    for (const _entry of section.entries()) count++;
  }
  counted.set(state, { head: state.head, count });
  return count;
}
