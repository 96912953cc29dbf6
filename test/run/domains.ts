import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const inert = { enable: () => inert, disable: () => inert };

/**
 * Keeps tap from following each promise to the test that made it, which takes a sixth of a run. An
 * error that nobody catches ends the process instead, and so it fails the file. Takes effect when
 * it is called before tap is loaded.
 */
export function leaveOutDomains(): void {
  Reflect.defineProperty(asyncHooks, 'createHook', { value: () => inert });
  syncBuiltinESMExports();
}
