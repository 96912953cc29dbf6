import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly disabledBecause: string | null;
}

interface Made {
  readonly secret?: string;
}

/** Addresses that events of the workbook are sent to. */
export function Webhooks({ book, isLocked }: { book: string; isLocked: boolean }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/webhooks`;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<{ webhooks: readonly Webhook[] }>(path, { signal }),
    [path],
  );
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string>();
  const [fault, setFault] = useState<Error>();
  const add = async () => {
    setFault(undefined);
    try {
      setSecret((await service.ask<Made>(path, { body: { url } })).secret);
      setUrl('');
      again();
    } catch (refusal) {
      setFault(refusal as Error);
    }
  };
  const remove = (id: string) =>
    service.ask(`${path}/${id}`, { method: 'DELETE' }).then(again, setFault);
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      {error && <Fault error={error} again={again} />}
      {value?.webhooks.length === 0 && <p class="quiet">Events are sent nowhere.</p>}
      <ul class="list">
        {value?.webhooks.map(({ id, url: to, disabledBecause }) => (
          <li key={id} class="person-line">
            <span>
              <code>{to}</code> <span class="state">{disabledBecause ?? 'enabled'}</span>
            </span>
            <button type="button" class="second" onClick={() => void remove(id)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      {secret !== undefined && (
        <p role="status">
          Its secret, shown once: <code class="hash">{secret}</code>
        </p>
      )}
      {fault && <Fault error={fault} />}
      <form
        class="fields"
        hidden={isLocked}
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label>
          Send events to
          <input
            type="url"
            required
            value={url}
            placeholder="https://example.com/quire"
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="second">
          Add the address
        </button>
      </form>
    </section>
  );
}
