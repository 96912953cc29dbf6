import { useEffect, useState } from 'preact/hooks';

import { tellBookChanged, useBookNews } from '../shell/book-news.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { BranchFromHere } from './branch-from-here.tsx';

interface ArchivedParts {
  readonly book: string;
  readonly branch: string;
  readonly role: string | undefined;
  /** Called when it was restored. */
  readonly onRestored: () => void;
}

/** Tells that a branch is archived, with the ways out; of a workbook the top of the page tells. */
export function ArchivedHere({ book, branch, role, onRestored }: ArchivedParts) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}`;
  const { value, again } = useLoaded(
    (signal) => service.ask<{ readonly archived: boolean }>(path, { signal }),
    [path],
  );
  const [error, setError] = useState<Error>();
  // The top of the page may have been drawn before somebody archived the workbook, or restored it.
  useEffect(() => {
    tellBookChanged();
    return tellBookChanged;
  }, []);
  useBookNews(again);
  useEffect(() => {
    if (value?.archived === false) onRestored();
  }, [value?.archived]);
  if (value?.archived !== false) return null;
  const restore = async () => {
    await service.ask(`${path}/branches/${encodeURIComponent(branch)}/restore`, { method: 'POST' });
    onRestored();
  };
  return (
    <div class="banner" role="status">
      <span>The branch {branch} is archived: it can be read and not written to.</span>
      {(role === 'owner' || role === 'editor') && (
        <button type="button" class="second" onClick={() => void restore().catch(setError)}>
          Restore the branch
        </button>
      )}
      <BranchFromHere book={book} from={branch} />
      {error && <Fault error={error} />}
    </div>
  );
}
