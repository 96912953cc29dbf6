import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { purgeBook } from './purge.ts';

interface PurgeParts {
  readonly book: string;
  readonly name: string;
  readonly onPurged: () => void;
}

/** Purges a workbook once its name is typed. */
export function PurgeForm({ book, name, onPurged }: PurgeParts) {
  const { service } = useShell();
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const purge = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setBusy(true);
    try {
      await purgeBook(service, book);
      onPurged();
    } catch (fault) {
      setError(fault as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="fields" onSubmit={(event) => void purge(event)}>
      <p>A purge removes all of it for good. It needs an account that a person has claimed.</p>
      <label>
        <span>
          Type <code>{name}</code> to purge it
        </span>
        <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      {error && <Fault error={error} />}
      <button type="submit" class="danger" disabled={typed !== name || isBusy}>
        Purge it for good
      </button>
    </form>
  );
}
