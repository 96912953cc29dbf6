import { useEffect } from 'preact/hooks';

import { positionText, type Position } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { BranchFromHere } from './branch-from-here.tsx';
import { BranchList } from './branch-list.tsx';

interface Branch {
  readonly name: string;
  readonly head: number;
  readonly ahead: { readonly ops: number };
  readonly protected: boolean;
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
  const names = branches.some(({ name }) => name === at.branch)
    ? branches.map(({ name }) => name)
    : [at.branch, ...branches.map(({ name }) => name)];
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
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <code>{positionText({ branch: at.branch, seq: at.seq ?? head })}</code>
      <BranchList book={book} shown={at.branch} />
      {at.seq === undefined && <BranchFromHere book={book} from={at.branch} />}
    </span>
  );
}
