import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../model/environment.ts';
import { isStorageFull } from '../model/outage.ts';

/** A start needs this much at least: PostgreSQL writes on its way up. */
const probeBytes = 1 << 20;
const pauseMilliseconds = 1000;

export interface RoomOptions {
  readonly dataDirectory: string;
  readonly environment: Environment;
  readonly onEvent: (message: string) => void;
  /** Aborted when the start is to be given up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a step, and repeats it while it fails because a disk is full. Logs this once, and once when
 * it continues. The step must release everything before it fails.
 */
export async function onceThereIsRoom<Result>(
  options: RoomOptions,
  step: () => Promise<Result>,
): Promise<Result> {
  let isWaiting = false;
  for (;;) {
    try {
      const result = await step();
      if (isWaiting) options.onEvent('there is room again: the start goes on');
      return result;
    } catch (error) {
      // PostgreSQL cannot say why it did not start when there is no room for its log either.
      if (!isStorageFull(error) && (await hasRoom(options.dataDirectory))) throw error;
      if (!isWaiting) options.onEvent(waitingMessage(options.dataDirectory));
      isWaiting = true;
      await pause(options);
    }
  }
}

function waitingMessage(dataDirectory: string): string {
  return `the disk is full: the start waits until there is room for DATA_DIR (${dataDirectory}) and the objects, and goes on by itself`;
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    await writeProbe(folder);
    return true;
  } catch (error) {
    return !isStorageFull(error);
  }
}

/** Fails as a write to this folder does now. */
export async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, `room.${process.pid}`);
  try {
    await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

function pause({ environment, signal }: RoomOptions): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = environment.after(pauseMilliseconds, () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    });
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
