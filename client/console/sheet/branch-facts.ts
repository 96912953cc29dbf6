/** Facts of a branch in a list. */
export interface BranchFacts {
  readonly from: { readonly branch: string | null } | null;
  readonly ahead: { readonly ops: number; readonly cells?: number | null };
  readonly behind: { readonly ops: number };
  readonly protected: boolean;
}

/** Returns facts that fit behind a name: `3 ahead`, `2 behind`, `protected`. */
export function shortFacts(branch: BranchFacts): readonly string[] {
  const { from, ahead, behind, protected: isProtected } = branch;
  return [
    ...(from !== null && ahead.ops > 0 ? [`${ahead.ops.toLocaleString()} ahead`] : []),
    ...(behind.ops > 0 ? [`${behind.ops.toLocaleString()} behind`] : []),
    ...(isProtected ? ['protected'] : []),
  ];
}

interface ListedBranch extends BranchFacts {
  readonly mergedInto: readonly string[];
  readonly state: 'active' | 'archived';
  readonly stale: boolean;
}

/** Returns all facts as a line: `3 edits of 12 cells since main · 2 behind · protected`. */
export function longFacts(branch: ListedBranch): string {
  const { from, ahead, behind, mergedInto, protected: isProtected, state, stale } = branch;
  const parent = from?.branch ?? 'a deleted branch';
  const facts = [
    from !== null && `${editsText(ahead)} since ${parent}`,
    behind.ops > 0 && `${behind.ops.toLocaleString()} behind ${parent}`,
    mergedInto.length > 0 && `merged into ${mergedInto.join(', ')}`,
    isProtected && 'protected',
    stale && 'not written to for a month',
    state === 'archived' && 'archived',
  ];
  return facts.filter(Boolean).join(' · ');
}

function editsText({ ops, cells }: BranchFacts['ahead']): string {
  const edits = `${ops.toLocaleString()} ${ops === 1 ? 'edit' : 'edits'}`;
  if ((cells ?? 0) === 0) return edits;
  return `${edits} of ${cells?.toLocaleString()} ${cells === 1 ? 'cell' : 'cells'}`;
}
