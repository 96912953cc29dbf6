import { useState } from 'preact/hooks';

import { parsePosition } from '../address.ts';
import { refusalOf, type Access } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { effectOf, type MergeView } from './review.ts';

interface AppliedParts {
  readonly book: string;
  readonly view: MergeView;
  readonly access: Access | undefined;
}

/** An applied merge, with links to its result and to a merge that reverts it. */
export function Applied({ book, view, access }: AppliedParts) {
  const { service, go } = useShell();
  const [error, setError] = useState<Error>();
  const { id, target } = view;
  const { to } = effectOf(view);
  const takeBack = () => {
    setError(undefined);
    service
      .ask<{ id: string }>(`/v1/workbooks/${book}/merges`, {
        body: { revertOf: id, target: target.branch },
      })
      .then((made) => go({ name: 'review', book, merge: made.id }))
      .catch(setError);
  };
  return (
    <section aria-label="What became of it">
      <p role="status">
        Merged into {target.branch}. It is{' '}
        <ScreenLink to={{ name: 'sheet', book, at: parsePosition(to) }}>{to}</ScreenLink>, and the
        log has{' '}
        <ScreenLink to={{ name: 'proof', book, ...parsePosition(to) }}>its proof</ScreenLink>.
      </p>
      {refusalOf(access, 'write') === undefined && (
        <p class="actions">
          <button type="button" class="second" onClick={takeBack}>
            Take this merge back
          </button>
          <span class="quiet">proposes a merge that undoes it and keeps what came later</span>
        </p>
      )}
      {error && <Fault error={error} />}
    </section>
  );
}
