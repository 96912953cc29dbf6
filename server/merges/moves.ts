import { movedBlock, type MovedBlock, type Moves } from '../state/merge/followed-moves.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { Position } from './graph.ts';

/** Operations that are looked through, about; what was moved before those is not followed. */
const operationsMost = 10_000;

interface Sides {
  readonly workbookId: string;
  readonly target: Position;
  readonly source: Position;
  /** The last operation of a branch that both sides hold. */
  readonly heldOf: (branchNo: number) => number;
}

/** What each side cut and pasted since what both hold, as its journal tells. */
export async function movesOf(
  { workbookId, target, source, heldOf }: Sides,
  journal: Pick<BackwardJournal, 'steps'>,
): Promise<Moves> {
  const read = async ({ no: branchNo, seq }: Position): Promise<MovedBlock[]> => {
    const moves: MovedBlock[] = [];
    let left = operationsMost;
    if (seq <= heldOf(branchNo)) return moves;
    for await (const step of journal.steps(workbookId, { branchNo, seq })) {
      const held = heldOf(step.branchNo);
      for (const { kind, resolved, seq: at } of step.records) {
        const block = kind === 'range.move' && at > held ? movedBlock(resolved) : undefined;
        if (block) moves.push(block);
      }
      left -= step.records.length;
      const { next } = step;
      if (!next || next.seq <= heldOf(next.branchNo) || left <= 0) break;
    }
    return moves.reverse();
  };
  return { ours: await read(target), theirs: await read(source) };
}
