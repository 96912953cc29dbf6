import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import type { CellChanges } from '../state/diff/changed-cells.ts';
import { receiveChanges } from '../state/diff/sent-changes.ts';
import type { Sides } from '../state/diff/sides.ts';
import { seemToDiffer } from './changes-ahead.ts';
import type { StateTasks } from './state-tasks.ts';

interface PoolParts {
  readonly tasks: StateTasks;
  readonly environment: Environment;
}

/** Changed cells: with fewer the way to another thread takes longer than to compare them. */
const cellsLeast = 100_000;

/** Compares cells in another thread. */
export class DiffPool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns whether a diff is better computed in another thread. */
  async takes(sides: Sides, sheetId: string | undefined): Promise<boolean> {
    const { tasks, environment } = this.#parts;
    if (!tasks.hasFreeThread) return false;
    return new Pace(environment).run(seemToDiffer([{ ...sides, sheetId }], cellsLeast));
  }

  /** Finds the changed cells of all sheets or one, by the id of their sheet. */
  async changedCells(
    workbookId: string,
    { from, to }: Sides,
    { sheetId, signal }: { sheetId?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<ReadonlyMap<string, CellChanges>> {
    const { tasks, environment } = this.#parts;
    const hint = 'Try again, or compare one sheet at a time with sheet=.';
    const words = { what: 'The comparison', hint };
    const subject = { workbookId, states: [from, to], ...words, signal } as const;
    const { sheets } = await tasks.run('diffStates', subject, { sheetId });
    const changes = new Map<string, CellChanges>();
    const pace = new Pace(environment);
    for (const sent of sheets) {
      changes.set(sent.sheetId, await pace.run(receiveChanges({ from, to }, sent)));
    }
    return changes;
  }
}
