import { useEffect } from 'preact/hooks';

import { positionText, type Position } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { shortFacts, type BranchFacts } from './branch-facts.ts';
import { BranchFromHere } from './branch-from-here.tsx';
import { BranchList } from './branch-list.tsx';

interface Branch extends BranchFacts {
  readonly name: string;
  readonly writable: boolean;
}

interface MenuParts {
  readonly book: string;
  readonly at: Position;
  readonly head: number;
  /** Called with whether the branch only takes merges. */
  readonly onGuarded: (isGuarded: boolean) => void;
}

/** Menu of branches, with a way to make one. */
export function BranchMenu({ book, at, head, onGuarded }: MenuParts) {
  const { service, go } = useShell();
  const { value } = useLoaded(
    (signal) =>
      service.ask<{ branches: readonly Branch[] }>(`/v1/workbooks/${book}/branches`, { signal }),
    [book, at.branch],
  );
  const branches = value?.branches ?? [];
  const shown = branches.find(({ name }) => name === at.branch);
  const isGuarded = shown?.protected === true && !shown.writable;
  useEffect(() => onGuarded(isGuarded), [isGuarded]);
  return (
    <span class="branch">
      <label for="branch">Branch</label>
      <select
        id="branch"
        value={at.branch}
        onChange={(event) => {
          go({ name: 'sheet', book, at: { branch: event.currentTarget.value } });
        }}
      >
        {!shown && <option value={at.branch}>{at.branch}</option>}
        {branches.map((branch) => (
          <option key={branch.name} value={branch.name}>
            {[branch.name, ...shortFacts(branch)].join(' · ')}
          </option>
        ))}
      </select>
      <code>{positionText({ branch: at.branch, seq: at.seq ?? head })}</code>
      <BranchList book={book} shown={at.branch} />
      {at.seq === undefined && <BranchFromHere book={book} from={at.branch} />}
    </span>
  );
}
