import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { BenchConnection, rawRead } from '../service/connection.ts';

/** Pages to be read one after the other. */
export interface Pages {
  /** Address of the service. */
  readonly url: string;
  readonly credential: string;
  readonly paths: readonly string[];
}

/**
 * Returns the milliseconds of each page, read in a thread of its own: what the bench does
 * meanwhile, such as to make rows that it writes, is no part of them.
 */
export async function readApart(pages: Pages): Promise<readonly number[]> {
  const thread = new Worker(new URL(import.meta.url), { workerData: pages });
  const [times] = (await once(thread, 'message')) as [readonly number[]];
  return times;
}

async function read({ url, credential, paths }: Pages): Promise<readonly number[]> {
  const { host } = new URL(url);
  const connection = await BenchConnection.open(url);
  const times: number[] = [];
  for (const path of paths) {
    const started = performance.now();
    const { status, body } = await connection.send(rawRead(path, { host, credential }));
    times.push(performance.now() - started);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body.toString()}`);
  }
  connection.close();
  return times;
}

if (!isMainThread) parentPort?.postMessage(await read(workerData as Pages), []);
