import { useState } from 'preact/hooks';

import type { Credential } from '../credential.ts';
import { useShell } from './context.ts';
import { ScreenLink } from './link.tsx';
import { useLoaded } from './loaded.ts';
import { Menu } from './menu.tsx';
import { chooseTheme, chosenTheme, type Theme } from './theme.ts';

interface Me {
  readonly data: {
    readonly user_id: string;
    /** Name that others see in histories. */
    readonly name: string;
    /** Address of own workbooks. */
    readonly namespace: string;
    readonly kind: string;
  };
}

interface MenuParts {
  readonly credential: Credential;
  readonly onLeave: () => void;
}

/** Menu of the signed-in account, with the id by which others share workbooks. */
export function AccountMenu({ credential, onLeave }: MenuParts) {
  return (
    <Menu title="Account">
      {() => (
        <>
          <Identity />
          <p>
            <ScreenLink to={{ name: 'usage' }}>Usage</ScreenLink>
          </p>
          <p>
            <ScreenLink to={{ name: 'log' }}>Transparency log</ScreenLink>
          </p>
          <p>
            <ThemeChoice />
          </p>
          <p>
            <button type="button" class="second" onClick={onLeave}>
              {credential.isTyped ? 'Forget the key' : 'Sign out'}
            </button>
          </p>
        </>
      )}
    </Menu>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: string) => {
    chooseTheme(chosen as Theme);
    setTheme(chosenTheme());
  };
  return (
    <label>
      Colours{' '}
      <select value={theme} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="system">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

function Identity() {
  const { service } = useShell();
  const { value, error } = useLoaded((signal) => service.ask<Me>('/agent/auth/me', { signal }), []);
  if (error) return <p role="alert">{error.message}</p>;
  if (!value) return <p role="status">Asking who you are…</p>;
  const { name, namespace, user_id: id } = value.data;
  return (
    <>
      <p>
        <strong>{name}</strong>
        {name !== namespace && <span class="quiet"> {namespace}</span>}
      </p>
      <p>
        Others share with you by this id:
        <br />
        <code class="hash">{id}</code>
      </p>
    </>
  );
}
