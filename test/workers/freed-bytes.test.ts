import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';

import { freeBytes } from '../../workers/freed-bytes.ts';

t.test('bytes that are freed are gone at once', async (t) => {
  const bytes = new Uint8Array(1 << 20);
  freeBytes(bytes);
  t.equal(bytes.length, 0);
  freeBytes(bytes);
  const shared = Buffer.from('a part of a block that others have parts of');
  freeBytes(shared);
  t.ok(shared.length > 0 && shared.toString().startsWith('a part'), 'they stay');
});

// A thread that reads a body never gets to a turn of its loop.
const program = `
  import { parentPort } from 'node:worker_threads';
  const { freeBytes } = await import(process.env.FREED_BYTES);
  let most = 0;
  for (let at = 0; at < 200; at++) {
    const block = Buffer.alloc(1 << 20, at);
    most = Math.max(most, process.memoryUsage().arrayBuffers);
    freeBytes(block);
  }
  parentPort.postMessage(most);
`;

t.test('a thread that frees what it has read holds one block at a time', async (t) => {
  const module = new URL('../../workers/freed-bytes.js', import.meta.url);
  const code = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const worker = new Worker(code, { env: { FREED_BYTES: module.href } });
  const [most] = (await once(worker, 'message')) as [number];
  t.ok(most < 4 << 20, `${most} bytes`);
  await worker.terminate();
});
