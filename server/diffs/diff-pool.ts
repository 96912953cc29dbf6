import { Pace } from '../branches/pace.ts';
import { TaskAborted, type Pool } from '../compute/pool.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { CellChanges } from '../state/diff/changed-cells.ts';
import { receiveChanges } from '../state/diff/sent-changes.ts';
import type { Sides } from '../state/diff/sides.ts';
import { seemToDiffer } from './changes-ahead.ts';
import type { StateSharing } from './state-sharing.ts';

interface PoolParts {
  readonly pool: Pick<Pool, 'run' | 'hasFreeThread'>;
  readonly sharing: StateSharing;
  readonly environment: Environment;
}

const diffMilliseconds = 600_000;
/** Changed cells: with fewer the way to another thread takes longer than to compare them. */
const cellsLeast = 100_000;

/** Compares cells in another thread, beside whatever else the service does. */
export class DiffPool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns whether a diff is better computed in another thread. */
  takes(sides: Sides, sheetId: string | undefined): boolean {
    return this.#parts.pool.hasFreeThread && seemToDiffer([{ ...sides, sheetId }], cellsLeast);
  }

  /** Finds the changed cells of all sheets or one, by the id of their sheet. */
  async changedCells(
    workbookId: string,
    { from, to }: Sides,
    sheetId: string | undefined,
  ): Promise<ReadonlyMap<string, CellChanges>> {
    const { pool, sharing, environment } = this.#parts;
    const { dictionary, states, noteDigests } = await sharing.share([from, to]);
    const options = { timeoutMilliseconds: diffMilliseconds, affinity: workbookId };
    const { sheets, found } = await pool
      .run('diffStates', { dictionary, states, sheetId }, options)
      .catch((error: unknown) => {
        throw error instanceof TaskAborted ? stopped(error) : error;
      });
    noteDigests(found);
    const changes = new Map<string, CellChanges>();
    const pace = new Pace(environment);
    for (const sent of sheets) {
      changes.set(sent.sheetId, await pace.run(receiveChanges({ from, to }, sent)));
    }
    return changes;
  }
}

function stopped(cause: TaskAborted): Failure {
  return new Failure('evaluationFailed', {
    detail: `The comparison was stopped: ${cause.message}.`,
    hint: 'Try again, or compare one sheet at a time with sheet=.',
    cause,
  });
}
