import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import t from 'tap';

import { OpenInternet } from '../../../server/outbound/open-internet.ts';

t.test('nothing is sent to where a name leads inside', async (t) => {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const inside: LookupAddress = { address: '127.0.0.1', family: 4 };
  const outside: LookupAddress = { address: '1.1.1.1', family: 4 };
  for (const addresses of [[inside], [outside, inside], []]) {
    let asked = 0;
    const internet = new OpenInternet({
      takesLoopback: true,
      resolve: (_name, _options, done) => {
        asked++;
        done(null, addresses);
      },
    });
    const { signal } = new AbortController();
    const sending = internet.request(new URL(`https://rebound.example:${port}/`), {
      method: 'POST',
      headers: {},
      body: Buffer.from('x'),
      signal,
    });
    await t.rejects(sending, { name: 'OutboundFault' });
    t.equal(asked, 1, 'asked once, so that no second answer can differ');
  }
  const plain = new OpenInternet({ takesLoopback: false });
  for (const text of ['http://example.com/', `http://127.0.0.1:${port}/`, 'https://[::1]/']) {
    t.throws(() => plain.check(new URL(text)), { name: 'OutboundFault' }, text);
  }
  t.equal(count, 0);
});
