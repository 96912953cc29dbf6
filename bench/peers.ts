import { createRequire } from 'node:module';

/** Where bench/package.json and its node_modules are; the code that runs is below build/. */
export const requirePeer = createRequire(
  new URL('bench/package.json', import.meta.resolve('#package.json')),
);

/** Returns whether a peer was installed; no bench requires one. */
export function hasPeer(name: string): boolean {
  try {
    requirePeer.resolve(name);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') {
      return false;
    }
    throw error;
  }
}
