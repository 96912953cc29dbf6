import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Screen } from '../address.ts';
import type { Credential } from '../credential.ts';
import type { Entry } from '../palette/entries.ts';
import type { Service } from '../service.ts';
import type { KeptTexts } from '../store/kept-texts.ts';

/** The tools that every screen may use. */
export interface Shell {
  readonly service: Service;
  readonly credential: Credential;
  /** Edits that outlive this page. */
  readonly texts: KeptTexts;
  /** Leads to another screen. */
  readonly go: (screen: Screen) => void;
  /** Changes the address from what it is by then, and leaves no step for Back. */
  readonly change: (edit: (now: Screen) => Screen) => void;
  /** The name under which this page writes. */
  readonly writer: string;
  readonly signOut: () => void;
  /** Lets the palette find commands of the screen that is shown. */
  readonly offer: (commands: readonly Entry[]) => void;
}

const context = createContext<Shell | undefined>(undefined);

export const ShellProvider = context.Provider;

export function useShell(): Shell {
  const shell = useContext(context);
  if (!shell) throw new Error('a screen stands inside of the shell');
  return shell;
}
