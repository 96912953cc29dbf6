import { useState } from 'preact/hooks';

import { useBranchNames } from '../shell/branch-names.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';

interface ApplyParts {
  readonly book: string;
  readonly path: string;
  readonly accepted: number;
}

interface Applied {
  readonly branch: string;
  readonly name: string;
  readonly rows: number;
}

/** Writes the accepted pairs to a branch, as a table or as a column of the left one. */
export function ApplyMatch({ book, path, accepted }: ApplyParts) {
  const { service } = useShell();
  const { names, ...branches } = useBranchNames(book);
  const [branch, setBranch] = useState('main');
  const [as, setAs] = useState('table');
  const [applied, setApplied] = useState<Applied>();
  const [error, setError] = useState<Error>();
  const apply = (event: Event) => {
    event.preventDefault();
    setError(undefined);
    service
      .ask<Applied>(`${path}/apply`, { body: { branch, as } })
      .then(setApplied)
      .catch(setError);
  };
  return (
    <form onSubmit={apply}>
      <h2>Apply</h2>
      {branches.error && <Fault error={branches.error} again={branches.again} />}
      {error && <Fault error={error} />}
      <p class="actions">
        <label>
          On the branch
          <select value={branch} onChange={(event) => setBranch(event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          as
          <select value={as} onChange={(event) => setAs(event.currentTarget.value)}>
            <option value="table">a table of pairs</option>
            <option value="column">a column of the left table</option>
          </select>
        </label>
        <button type="submit" class="main" disabled={accepted === 0}>
          Write {accepted.toLocaleString()} accepted
        </button>
      </p>
      {applied && (
        <p role="status">
          {applied.rows} pairs were written as {applied.name}:{' '}
          <ScreenLink to={{ name: 'tables', book, branch: applied.branch }}>
            tables of {applied.branch}
          </ScreenLink>
          .
        </p>
      )}
    </form>
  );
}
