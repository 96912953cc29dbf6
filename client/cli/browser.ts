import { spawn } from 'node:child_process';
import process from 'node:process';

import { environment } from './environment.ts';

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser of this machine; resolves with whether that worked. */
export function openInBrowser(address: string): Promise<boolean> {
  const [program = 'xdg-open', ...words] =
    environment.browser === undefined
      ? (openers[process.platform] ?? ['xdg-open'])
      : [environment.browser];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
