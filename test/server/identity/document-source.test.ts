import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { DocumentSource } from '../../../server/identity/oauth/clients/document-source.ts';
import { isPublicAddress } from '../../../server/outbound/public-address.ts';

t.test('only addresses of the open internet are public', async (t) => {
  const open = ['1.1.1.1', '172.32.0.1', '192.169.0.1', '100.63.255.255', '2606:4700::1111'];
  for (const address of open) t.ok(isPublicAddress(address), address);
  const closed = `0.0.0.0 10.1.2.3 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255
    192.168.1.1 100.64.0.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 192.0.0.8 203.0.113.7
    :: ::1 fe80::1 fc00::1 fd00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 100::1
    2002:7f00:1:: 2001:db8::1 2001::1 nonsense 1.1.1 0x7f.1`.split(/\s+/);
  for (const address of closed) t.notOk(isPublicAddress(address), address);
});

/** A server that nobody should reach, and how many did. */
async function trap(): Promise<{ port: number; reached: () => number; close: () => void }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, reached: () => count, close: () => void server.close() };
}

t.test('a name that leads inside is not followed, even as one of several', async (t) => {
  const { port, reached, close } = await trap();
  t.teardown(close);
  const inside: LookupAddress = { address: '127.0.0.1', family: 4 };
  const outside: LookupAddress = { address: '1.1.1.1', family: 4 };
  for (const addresses of [[inside], [outside, inside], [inside, outside], []]) {
    const asked: string[] = [];
    const source = new DocumentSource({
      environment: realEnvironment,
      takesLoopback: true,
      resolve: (name, _options, done) => {
        asked.push(name);
        done(null, addresses);
      },
    });
    const reading = source.read(new URL(`https://rebound.example:${port}/client.json`));
    await t.rejects(reading, { name: 'DocumentFault' });
    t.same(asked, ['rebound.example'], 'asked once, so that no second answer can differ');
  }
  t.equal(reached(), 0);
});

t.test('addresses in place of names are held against the same list', async (t) => {
  const { port, reached, close } = await trap();
  t.teardown(close);
  const source = new DocumentSource({ environment: realEnvironment, takesLoopback: false });
  for (const host of ['127.0.0.1', '2130706433', '0x7f000001', '127.1', '[::1]']) {
    await t.rejects(source.read(new URL(`https://${host}:${port}/x`)), { name: 'DocumentFault' });
  }
  t.notOk(source.takes(new URL(`http://127.0.0.1:${port}/x`)), 'nor without encryption');
  await t.rejects(source.read(new URL(`http://127.0.0.1:${port}/x`)), { name: 'DocumentFault' });
  t.equal(reached(), 0);
});
