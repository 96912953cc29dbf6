import { useState } from 'preact/hooks';

import type { Credential } from '../credential.ts';
import { useShell } from './context.ts';
import { ScreenLink } from './link.tsx';
import { useLoaded } from './loaded.ts';

interface Me {
  readonly data: { readonly user_id: string; readonly namespace: string; readonly kind: string };
}

interface MenuParts {
  readonly credential: Credential;
  readonly onLeave: () => void;
}

/** The account that is signed in, with the id that others share workbooks with. */
export function AccountMenu({ credential, onLeave }: MenuParts) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="menu" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Account</summary>
      <div class="menu-body">
        {isOpen && <Identity />}
        <p>
          <ScreenLink to={{ name: 'usage' }}>Usage</ScreenLink>
        </p>
        <button type="button" class="second" onClick={onLeave}>
          {credential.isTyped ? 'Forget the key' : 'Leave'}
        </button>
      </div>
    </details>
  );
}

function Identity() {
  const { service } = useShell();
  const { value, error } = useLoaded((signal) => service.ask<Me>('/agent/auth/me', { signal }), []);
  if (error) return <p role="alert">{error.message}</p>;
  if (!value) return <p role="status">Asking who you are…</p>;
  const { namespace, user_id: id } = value.data;
  return (
    <>
      <p>
        <strong>{namespace}</strong>
      </p>
      <p>
        Others share with you by this id:
        <br />
        <code class="hash">{id}</code>
      </p>
    </>
  );
}
