import type { Branches } from '../branches/branches.ts';
import { readReference } from '../branches/place.ts';
import { Failure } from '../model/failure.ts';
import { settingsBranchNo } from '../model/policy.ts';
import type { BranchNames } from './branch-names.ts';
import type { Position } from './graph.ts';
import { reservedBranch } from './merge-failures.ts';

// The two ends of a merge, source and target, as a proposal names them.

export async function sourceOf(
  workbookId: string,
  reference: string,
  branches: Pick<Branches, 'locate'>,
): Promise<Position & { readonly isPinned: boolean }> {
  const place = await branches.locate(workbookId, readReference(reference, '/source'));
  const { branchNo: no } = place.address;
  if (no === settingsBranchNo) throw reservedBranch();
  return { no, seq: place.seq, isPinned: place.isPinned };
}

export function targetOf(names: BranchNames, target: string): Position {
  const branch = names.named(target);
  if (!branch) {
    throw new Failure('branchNotFound', {
      detail: `The workbook has no branch called ${target}.`,
      hint: 'Merge into a branch, such as main: positions cannot be written to.',
    });
  }
  if (branch.branchNo === settingsBranchNo) throw reservedBranch();
  return { no: branch.branchNo, seq: branch.head };
}
