import type { BranchAddress } from '../branches/journal-store.ts';
import type { Turn, Turns } from '../branches/turns.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Look } from './look.ts';

/** Limits on how often a merge is computed again because its target moved. */
const besideOthers: Limits = { tries: 5, milliseconds: 4_000 };
const whileOthersWait: Limits = { tries: 45, milliseconds: 8_000 };
/** Milliseconds for which the other writers wait at most. */
const turnMilliseconds = 3_000;

/** A merge was not written, because somebody else wrote to its target. */
export class TargetMoved extends Failure {
  readonly target: BranchAddress;

  constructor({ record, names }: Look) {
    super('digestMismatch', {
      detail: `The merge was made for ${names.nameOf(record.targetNo)}@${record.targetSeq}, and its branches went on.`,
      hint: `GET /v1/workbooks/${record.workbookId}/merges/${record.id}: it is made anew from their heads.`,
    });
    this.target = { workbookId: record.workbookId, branchNo: record.targetNo };
  }
}

interface Limits {
  readonly tries: number;
  readonly milliseconds: number;
}

interface Parts {
  readonly environment: Environment;
  readonly branches: { readonly turns: Turns };
}

/**
 * Repeats an attempt while its target moves: beside the other writers first, and then while they
 * wait for it. Fails with `TargetMoved` when the limits are reached.
 */
export async function whileMoved<Result>(
  { environment, branches }: Parts,
  attempt: (turn?: Turn) => Promise<Result>,
): Promise<Result> {
  const began = environment.elapsed();
  const repeat = async ({ tries, milliseconds }: Limits, turn?: Turn): Promise<Result> => {
    for (let tryCount = 1; ; tryCount++) {
      try {
        return await attempt(turn);
      } catch (error) {
        const isOver = tryCount === tries || environment.elapsed() - began > milliseconds;
        if (!(error instanceof TargetMoved) || isOver) throw error;
      }
    }
  };
  try {
    return await repeat(besideOthers);
  } catch (error) {
    if (!(error instanceof TargetMoved)) throw error;
    const last = (turn: Turn): Promise<Result> => repeat(whileOthersWait, turn);
    return branches.turns.hold(error.target, turnMilliseconds, last);
  }
}
