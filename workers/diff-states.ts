import { sentCellChanges } from '../server/state/diff/cell-changes.ts';
import type { SentChanges } from '../server/state/diff/sent-changes.ts';
import type { FoundDigests } from '../server/state/sharing/shared-cells.ts';
import { finished, receivedStates, type StatesTask } from './shared-states.ts';

/** The earlier and the later state. */
export interface DiffTask extends StatesTask {
  /** Id of the only sheet to compare; undefined for all. */
  readonly sheetId: string | undefined;
}

export interface DiffAnswer {
  readonly sheets: readonly SentChanges[];
  readonly found: FoundDigests;
}

/** Compares the cells of two states. */
export function diffStates({ sheetId, ...task }: DiffTask): DiffAnswer {
  const { states, foundDigests } = receivedStates(task);
  const [from, to] = states;
  if (!from || !to) throw new Error('a diff has two states');
  return { sheets: finished(sentCellChanges({ from, to }, sheetId)), found: foundDigests() };
}
