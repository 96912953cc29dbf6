import type { Place } from '../branches/place.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import type { ListedBranch } from '../branches/forks/sql.ts';

/** The relation of a later position to an earlier one. */
export type Relation = 'same' | 'ahead' | 'behind' | 'diverged';

/** A position both have in common. */
export interface CommonBase {
  readonly branchNo: number;
  /** Null once the branch is deleted. */
  readonly branch: string | null;
  readonly seq: number;
}

export interface Lineages {
  /** A branch and those it comes from, up to one that was deleted. */
  lineage(address: BranchAddress): Promise<ListedBranch[]>;
}

/**
 * The relation of `to` to `from`, and the position where they part: forks are followed to their
 * parents.
 */
export async function relationOf(
  from: Place,
  to: Place,
  lineages: Lineages,
): Promise<{ relation: Relation; base: CommonBase | undefined }> {
  const [a, b] = await Promise.all([pathOf(from, lineages), pathOf(to, lineages)]);
  const base = commonBase(a, b);
  if (!base) return { relation: 'diverged', base: undefined };
  const [isFrom, isTo] = [a, b].map((path) => isAt(path[0], base));
  if (isFrom === true && isTo === true) return { relation: 'same', base };
  return { relation: isFrom === true ? 'ahead' : isTo === true ? 'behind' : 'diverged', base };
}

/** The position itself and the ones that its branches begin at, the nearest first. */
async function pathOf(place: Place, lineages: Lineages): Promise<CommonBase[]> {
  const { address, branch, seq, onto } = place;
  if (onto) return [{ branchNo: address.branchNo, branch, seq }, ...(await pathOf(onto, lineages))];
  const branches = await lineages.lineage(address);
  const byNumber = new Map(branches.map((one) => [one.branchNo, one]));
  const path: CommonBase[] = [{ branchNo: address.branchNo, branch, seq }];
  for (let row = byNumber.get(address.branchNo); row;) {
    const { parentNo, forkSeq } = row;
    if (parentNo === null || forkSeq === null) break;
    row = byNumber.get(parentNo);
    // A branch that was never written to is where it begins.
    if (path.at(-1)?.seq === 0) path.pop();
    path.push({ branchNo: parentNo, branch: row?.name ?? null, seq: forkSeq });
  }
  return path;
}

function commonBase(
  from: readonly CommonBase[],
  to: readonly CommonBase[],
): CommonBase | undefined {
  for (const step of from) {
    const other = to.find(({ branchNo }) => branchNo === step.branchNo);
    if (other) return { ...step, seq: Math.min(step.seq, other.seq) };
  }
  return undefined;
}

function isAt(step: CommonBase | undefined, base: CommonBase): boolean {
  return step?.branchNo === base.branchNo && step.seq === base.seq;
}
