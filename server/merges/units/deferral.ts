import type { Branches } from '../../branches/branches.ts';
import type { Forks } from '../../branches/forks/forks.ts';
import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure, type FailureKey } from '../../model/failure.ts';
import { nameLengthMost } from '../../model/reference.ts';
import { MergeJudge } from '../../state/merge/merge-judge.ts';
import { mergeChange } from '../../state/merge/merge.ts';
import { OperationParts } from '../../state/merge/parts.ts';
import type { MergeComputer, MergeInput } from '../merge-computer.ts';
import type { BranchNames } from '../branch-names.ts';
import type { MergeRecord } from '../merge-record.ts';
import { decidedUnits } from '../../state/outcome/units/unit.ts';

export interface DeferralParts {
  readonly computer: Pick<MergeComputer, 'compute'>;
  readonly branches: Pick<Branches, 'address' | 'submit'>;
  readonly forks: Pick<Forks, 'create'>;
  readonly environment: Environment;
}

export interface Applied {
  readonly record: MergeRecord;
  readonly names: BranchNames;
  /** The input that was merged. */
  readonly input: MergeInput;
  /** Sequence of the operation that applied it. */
  readonly seq: number;
}

export function hasDeferred({ units }: Pick<MergeRecord, 'units'>): boolean {
  return [...decidedUnits(units).values()].includes('defer');
}

/**
 * Puts the deferred units of an applied merge on a branch of their own, which begins where the
 * merge was applied: merging that branch takes them. A repetition changes nothing.
 */
export async function carryDeferred(
  { record, names, input, seq }: Applied,
  userId: string,
  { computer, branches, forks, environment }: DeferralParts,
): Promise<void> {
  const pace = new Pace(environment);
  const units = record.units.map((unit) =>
    unit.decision === 'defer' ? { ...unit, decision: 'accept' as const } : unit,
  );
  const [taken, all] = [await computer.compute(input), await computer.compute({ ...input, units })];
  const state = taken.merged.fork();
  state.begin();
  const parts = new OperationParts(state);
  const judge = new MergeJudge({ otherwise: 'theirs' });
  await pace.run(mergeChange({ base: taken.merged, theirs: all.merged }, parts, judge));
  const target = names.nameOf(record.targetNo);
  const name = deferredName(names.nameOf(record.sourceNo), record.id);
  const from = `${target}@${seq}`;
  const description = `Deferred when ${record.id} was merged into ${target}.`;
  const request = { name, from, description, isOwed: true };
  await forks.create({ id: record.workbookId }, request, { userId }).catch(unless('branchExists'));
  await environment.checkpoint?.('merge.forked');
  const payload = {
    mid: `${record.id}-deferred`,
    source: { branch: names.nameOf(record.sourceNo), no: record.sourceNo, seq: record.sourceSeq },
    base: input.bases.map(({ no, seq: held }) => ({ branch: names.nameOf(no), no, seq: held })),
    vector: {},
    stateHash: await pace.run(state.stateHash()),
    rejectedUnits: [],
    ops: [...parts.parts],
  };
  const submission = {
    principalId: userId,
    writer: 'merge',
    ops: [{ kind: 'merge', payload }],
    byteCount: JSON.stringify(payload.ops).length,
    expectedHead: 0,
  } as const;
  // The process that made the branch may have died before this step, so it is always done.
  const address = await branches.address(record.workbookId, name);
  await branches.submit(address, submission).catch(unless('headMoved'));
}

/** Ignores a failure that means that the same was done before. */
function unless(key: FailureKey): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Failure) || error.key !== key) throw error;
  };
}

/**
 * Names the branch after the source, whose name may be of full length, or have blanks from before
 * they were refused.
 */
function deferredName(source: string, mergeId: string): string {
  const end = `/deferred-${mergeId}`;
  const begin = source.replaceAll(/[ $]/g, '-').slice(0, nameLengthMost - end.length);
  return `${begin.replace(/[./\p{Surrogate}-]+$/u, '')}${end}`;
}
