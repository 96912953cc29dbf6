import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// The flag makes `gc` a global of contexts that are made from now on.
const collect = runInNewContext('gc') as () => void;

/** Bytes of objects and buffers that are still in use, after several collections with pauses. */
export async function memoryInUse(): Promise<number> {
  for (let time = 0; time < 4; time++) {
    await sleep(20);
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
