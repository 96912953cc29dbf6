import { useState } from 'preact/hooks';

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
  return (
    <main class="page">
      <h1>Settings</h1>
      <Sharing book={book} />
      <PolicyForm book={book} />
      <Webhooks book={book} />
      <Verification book={book} />
      <EndOfBook book={book} />
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
