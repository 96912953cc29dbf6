import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Screen } from '../address.ts';
import type { Credential } from '../credential.ts';
import type { Entry } from '../palette/entries.ts';
import type { Service } from '../service.ts';
import type { KeptTexts } from '../store/kept-texts.ts';

/** Tools for every screen. */
export interface Shell {
  readonly service: Service;
  readonly credential: Credential;
  /** True when the service has refused the credential, until it takes one. */
  readonly isOut: boolean;
  /** Edits that are kept beyond this page. */
  readonly texts: KeptTexts;
  /** Shows another screen. */
  readonly go: (screen: Screen) => void;
  /** Changes the current address without a step for Back. */
  readonly change: (edit: (now: Screen) => Screen) => void;
  /** Name under which this page writes. */
  readonly writer: string;
  readonly signOut: () => void;
  /** Offers commands of the shown screen in the palette. */
  readonly offer: (commands: readonly Entry[]) => void;
}

const context = createContext<Shell | undefined>(undefined);

export const ShellProvider = context.Provider;

export function useShell(): Shell {
  const shell = useContext(context);
  if (!shell) throw new Error('a screen stands inside of the shell');
  return shell;
}
