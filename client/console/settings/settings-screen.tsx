import { useState } from 'preact/hooks';

import { refusalOf, useAccess } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { EndOfBook } from './end-of-book.tsx';
import { PolicyForm } from './policy-form.tsx';
import { Sharing } from './sharing.tsx';
import { Webhooks } from './webhooks.tsx';

interface Verified {
  readonly ok: boolean;
  readonly firstBad?: { readonly where: string; readonly hint: string } | null;
}

/** Settings of a workbook: roles, policy, webhooks, and its end. */
export default function SettingsScreen({ book }: { book: string }) {
  const access = useAccess(book);
  const refusal = refusalOf(access, 'settings');
  // The person behind the agent that owns a workbook has no role of their own.
  const isOwner = access !== undefined && (access.role ?? 'owner') === 'owner';
  const isLocked = refusal !== undefined;
  return (
    <main class="page wide">
      <h1>Settings</h1>
      {isLocked && <p class="lock">{refusal}</p>}
      <Sharing book={book} isLocked={isLocked} ownId={access?.userId} />
      <PolicyForm book={book} isLocked={isLocked} />
      {isOwner && <Webhooks book={book} isLocked={isLocked} />}
      <Verification book={book} />
      {isOwner && <EndOfBook book={book} />}
    </main>
  );
}

function Verification({ book }: { book: string }) {
  const { service } = useShell();
  const [round, setRound] = useState(0);
  const { value, error } = useLoaded<Verified | undefined>(
    async (signal) =>
      round === 0
        ? undefined
        : service.ask<Verified>(`/v1/workbooks/${book}/verify`, { body: {}, signal }),
    [book, round],
  );
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Verify</h2>
      <p>
        Everything that is stored is read again and held against the history, operation by
        operation.
      </p>
      {error && <Fault error={error} />}
      <p class="actions">
        <button type="button" class="second" onClick={() => setRound(round + 1)}>
          Verify the workbook
        </button>
        <span role="status">
          {value &&
            (value.ok
              ? 'All of it is what was written.'
              : `Not all of it holds: ${value.firstBad?.where ?? ''} ${value.firstBad?.hint ?? ''}`)}
        </span>
      </p>
    </section>
  );
}
