import type { BranchState } from './branch-state.ts';
import type { Scale } from './ids/scale.ts';

/** Measured bytes of an empty state. */
const stateBytes = 3_400;
const sheetBytes = 600;
/** Estimated bytes of an entry such as a name, a table or a setting. */
const entryBytes = 400;
/** Entries are counted again after so many operations. */
const countedOperations = 256;

/** Number of entries besides cells, with the head at which they were counted. */
const counted = new WeakMap<BranchState, { head: number; count: number }>();

/**
 * Adds a state to the memory accounting. Parts that it shares with others count once; parts that it
 * shares with `beside` are skipped, so that weighing neighbouring states is fast. A state that is
 * written to during the pauses weighs about what it did.
 */
export function* weighState(
  state: BranchState,
  scale: Scale,
  beside?: BranchState,
): Generator<void, void> {
  if (!scale.isNew(state)) return;
  scale.add(stateBytes + entryCount(state) * entryBytes);
  for (const { sheet, cells } of cellsOfAll(state)) {
    scale.add(sheetBytes);
    const other = beside?.structure.withId(sheet.id);
    yield* cells.weigh(scale, other && beside?.cellsOf(other));
    if (sheet.rows !== other?.rows) sheet.rows.weigh(scale);
    if (sheet.columns !== other?.columns) sheet.columns.weigh(scale);
    yield;
  }
  state.history.weigh(scale);
  state.recent.weigh(scale);
  state.weighKeys(scale);
  scale.share(state.coding.dictionary);
}

/** Returns the bytes of all unpacked blocks of a state, shared ones included. */
export function* openBytes(state: BranchState): Generator<void, number> {
  let bytes = 0;
  for (const { cells } of cellsOfAll(state)) bytes += yield* cells.openBytes();
  return bytes;
}

/** The sheets with their cells, of which a writer may take some out during a pause. */
function cellsOfAll(state: BranchState) {
  return state.structure.sheets.map((sheet) => ({ sheet, cells: state.cellsOf(sheet) }));
}

function entryCount(state: BranchState): number {
  const known = counted.get(state);
  if (known && state.head - known.head < countedOperations) return known.count;
  let count = 0;
  for (const section of state.sections('former')) {
    if ('list' in section) count += section.count;
    else for (const _entry of section.entries()) count++;
  }
  counted.set(state, { head: state.head, count });
  return count;
}
