import { refusalOf, useAccess } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { BranchFromHere } from '../sheet/branch-from-here.tsx';
import { positionText, type Position, type Screen } from '../address.ts';

interface Branch {
  readonly name: string;
  readonly state: string;
  readonly writable: boolean;
}

/** The reason why rows cannot be written, and whether a branch of one's own is the remedy. */
export interface Lock {
  readonly reason: string;
  readonly canBranch: boolean;
}

/** Returns why nothing can be written at a position; undefined if it can, or is not known yet. */
export function useLock(book: string, at: Position): Lock | undefined {
  const { service } = useShell();
  const access = useAccess(book);
  const branches = useLoaded(
    (signal) =>
      service.ask<{ branches: readonly Branch[] }>(
        `/v1/workbooks/${book}/branches?include=archived`,
        { signal },
      ),
    [book],
  );
  const refusal = refusalOf(access, 'write');
  const canBranch = access?.isArchived !== true && access?.role !== 'viewer';
  if (refusal !== undefined) return { reason: refusal, canBranch };
  if (at.seq !== undefined) return { reason: 'An older position is read only.', canBranch };
  const branch = branches.value?.branches.find(({ name }) => name === at.branch);
  if (branch?.state === 'archived') {
    return { reason: `${at.branch} is archived: “All branches” restores it.`, canBranch };
  }
  if (branch?.writable !== false) return undefined;
  return { reason: `${at.branch} is protected: it changes by merges alone.`, canBranch };
}

interface LockedParts {
  readonly lock: Lock;
  readonly book: string;
  readonly at: Position;
  /** Screen of a new branch. */
  readonly goal: (branch: string) => Screen;
}

/** Says why nothing can be written here, with the way out. */
export function Locked({ lock: { reason, canBranch }, book, at, goal }: LockedParts) {
  return (
    <p class="lock">
      {reason} {canBranch && <BranchFromHere book={book} from={positionText(at)} goal={goal} />}
    </p>
  );
}
