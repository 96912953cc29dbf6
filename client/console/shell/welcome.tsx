import { useState } from 'preact/hooks';

import { makeSample } from '../books/sample.ts';
import { useShell } from './context.ts';
import { Fault } from './fault.tsx';

interface Registered {
  readonly data?: { readonly credential?: string };
  readonly credential?: string;
}

/** The first screen of somebody whom the service does not know. */
export function Welcome({ onEntered }: { onEntered: () => void }) {
  const { service, credential, go } = useShell();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState('');
  const tryIt = async () => {
    setBusy(true);
    try {
      const client = { name: 'console' };
      const answer = await service.ask<Registered>('/agent/auth', {
        body: { type: 'anonymous', client },
      });
      credential.useKey(answer.data?.credential ?? answer.credential ?? '');
      const book = await makeSample(service);
      onEntered();
      go({ name: 'sheet', book, at: { branch: 'main' } });
    } catch (fault) {
      setError(fault as Error);
    } finally {
      setBusy(false);
    }
  };
  const enter = (event: Event) => {
    event.preventDefault();
    credential.useKey(key.trim());
    onEntered();
  };
  return (
    <main class="page">
      <h1>Spreadsheets with branches</h1>
      <p>
        Edit a workbook in a branch of its own, compare it, merge it after a review, and go back to
        any position of its history.
      </p>
      {error && <Fault error={error} />}
      <p>
        <button type="button" class="main" disabled={isBusy} onClick={() => void tryIt()}>
          {isBusy ? 'Making a workbook…' : 'Try it with a sample workbook'}
        </button>
      </p>
      <p class="quiet">
        No account is needed. The sample belongs to this tab alone until it is claimed.
      </p>
      <p>
        <a href={`/login?next=${encodeURIComponent(location.pathname)}`}>Sign in</a>
      </p>
      <form onSubmit={enter}>
        <label for="key">Or use a key that you have</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button type="submit" class="second">
          Use the key
        </button>
        <p class="quiet">The key stays in this tab until you close it.</p>
      </form>
    </main>
  );
}
