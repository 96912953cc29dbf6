import type { BranchState } from './branch-state.ts';
import type { Scale } from './ids/scale.ts';

/** Measured: a state with nothing in it, and its share of each sheet. */
const stateBytes = 3_400;
const sheetBytes = 600;
/** A name, a table, a setting, a format of a line: an object with some texts. */
const entryBytes = 400;
/** Entries are counted anew after so many operations. */
const countedOperations = 256;

/** Entries beside the cells, counted at a head. */
const counted = new WeakMap<BranchState, { head: number; count: number }>();

/**
 * Adds a state to the memory accounting; parts that it shares with others count once. Parts that it
 * has from the same edit as `beside` are passed over, so that two states near one another are
 * quick.
 */
export function weighState(state: BranchState, scale: Scale, beside?: BranchState): void {
  if (!scale.isNew(state)) return;
  scale.add(stateBytes + entryCount(state) * entryBytes);
  for (const sheet of state.structure.sheets) {
    scale.add(sheetBytes);
    const other = beside?.structure.withId(sheet.id);
    state.cellsOf(sheet).weigh(scale, other && beside?.cellsOf(other));
    if (sheet.rows !== other?.rows) sheet.rows.weigh(scale);
    if (sheet.columns !== other?.columns) sheet.columns.weigh(scale);
  }
  state.history.weigh(scale);
  state.recent.weigh(scale);
  state.weighKeys(scale);
  scale.share(state.coding.dictionary);
}

/** Bytes of its blocks that were read, whoever has them too. */
export function openBytes(state: BranchState): number {
  let bytes = 0;
  for (const sheet of state.structure.sheets) bytes += state.cellsOf(sheet).openBytes;
  return bytes;
}

function entryCount(state: BranchState): number {
  const known = counted.get(state);
  if (known && state.head - known.head < countedOperations) return known.count;
  let count = 0;
  for (const section of state.sections('former')) {
    for (const _entry of section.entries()) count++;
  }
  counted.set(state, { head: state.head, count });
  return count;
}
