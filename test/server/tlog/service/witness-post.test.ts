import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';

import { postToWitness } from '../../../../server/tlog/service/witness-post.ts';

/** A witness that sends a text again and again until its client is gone, or so many times. */
async function talkingWitness(t: Test, text: string, timesMost: number) {
  const sent = { bytes: 0 };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/x.tlog.size');
    let times = 0;
    const talk = (): void => {
      while (times < timesMost && !response.destroyed) {
        times++;
        sent.bytes += text.length;
        if (!response.write(text)) return void response.once('drain', talk);
      }
      response.end();
    };
    talk();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/add-checkpoint`, sent };
}

t.test('an answer without an end is given up as soon as it is too long', async (t) => {
  const { url, sent } = await talkingWitness(t, 'x'.repeat(32_768), Infinity);
  await t.rejects(postToWitness(url, 'old 0\n'), { message: `${url} answers too much` });
  t.ok(sent.bytes < 16_000_000, `${sent.bytes} bytes were taken`);
});

t.test('one of a sensible length is read whole', async (t) => {
  const { url } = await talkingWitness(t, 'é12\n', 2);
  t.same(await postToWitness(url, 'old 0\n'), {
    status: 200,
    type: 'text/x.tlog.size',
    text: 'é12\né12\n',
  });
});
