import { movedBlock, type MovedBlock, type Moves } from '../state/merge/followed-moves.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { Position } from './graph.ts';
import { journalSince } from './journal-since.ts';

interface Sides {
  readonly workbookId: string;
  readonly target: Position;
  readonly source: Position;
  /** The last operation of a branch that both sides hold. */
  readonly heldOf: (branchNo: number) => number;
}

/** What each side cut and pasted since what both hold, as far as its journal is read for it. */
export async function movesOf(
  { workbookId, target, source, heldOf }: Sides,
  journal: Pick<BackwardJournal, 'steps'>,
): Promise<Moves> {
  const read = async (position: Position): Promise<MovedBlock[]> => {
    const moves: MovedBlock[] = [];
    for await (const { record } of journalSince({ workbookId, position, heldOf }, journal)) {
      const block = record.kind === 'range.move' ? movedBlock(record.resolved) : undefined;
      if (block) moves.push(block);
    }
    return moves.reverse();
  };
  return { ours: await read(target), theirs: await read(source) };
}
