import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Book {
  readonly name: string;
  readonly archived: boolean;
}

/** Archives the workbook, which can be undone, or purges it, which cannot. */
export function EndOfBook({ book }: { book: string }) {
  const { service, go } = useShell();
  const path = `/v1/workbooks/${book}`;
  const { value, again } = useLoaded((signal) => service.ask<Book>(path, { signal }), [path]);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<Error>();
  const archive = () => service.ask(path, { method: 'DELETE' }).then(again, setError);
  const purge = async () => {
    setError(undefined);
    try {
      const { confirm } = await service.ask<{ confirm: string }>(path, { method: 'DELETE' });
      const query = new URLSearchParams({ purge: 'true', confirm });
      await service.ask(`${path}?${query}`, { method: 'DELETE' });
      go({ name: 'books' });
    } catch (fault) {
      setError(fault as Error);
    }
  };
  return (
    <section aria-labelledby="end">
      <h2 id="end">Archive and purge</h2>
      {error && <Fault error={error} />}
      {value?.archived === false && (
        <p class="actions">
          <button type="button" class="second" onClick={() => void archive()}>
            Archive the workbook
          </button>
          <span>It can be read and restored, and not written to.</span>
        </p>
      )}
      {value?.archived === true && (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            void purge();
          }}
        >
          <p>A purge removes all of it for good. It needs an account that a person has claimed.</p>
          <label>
            Type <code>{value.name}</code> to purge it
            <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
          <button type="submit" class="danger" disabled={typed !== value.name}>
            Purge it for good
          </button>
        </form>
      )}
    </section>
  );
}
