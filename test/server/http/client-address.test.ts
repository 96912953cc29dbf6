import { isIP } from 'node:net';
import * as fc from 'fast-check';
import t from 'tap';

import { clientAddress } from '../../../server/http/client-address.ts';
import { plainAddress } from '../../../server/model/ip-address.ts';

const none: ReadonlySet<string> = new Set();
const proxies: ReadonlySet<string> = new Set(['10.0.0.1', '10.0.0.2']);

t.test('the socket counts unless it is a proxy of ours', async (t) => {
  t.equal(clientAddress('1.2.3.4', '9.9.9.9', none), '1.2.3.4');
  t.equal(clientAddress('1.2.3.4', '9.9.9.9', proxies), '1.2.3.4');
  t.equal(clientAddress('10.0.0.1', undefined, proxies), '10.0.0.1');
  t.equal(clientAddress('10.0.0.1', '9.9.9.9', proxies), '9.9.9.9');
});

t.test('of the way through proxies only our part is believed', async (t) => {
  const cases: readonly [string, string][] = [
    ['6.6.6.6, 9.9.9.9', '9.9.9.9'],
    ['6.6.6.6, 9.9.9.9, 10.0.0.2', '9.9.9.9'],
    ['6.6.6.6, nonsense, 10.0.0.2', '10.0.0.2'],
    ['nonsense', '10.0.0.1'],
    ['', '10.0.0.1'],
    ['10.0.0.2', '10.0.0.2'],
    ['::ffff:9.9.9.9', '9.9.9.9'],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ];
  for (const [forwarded, client] of cases) {
    t.equal(clientAddress('10.0.0.1', forwarded, proxies), client, forwarded);
  }
});

t.test('whatever a client writes before, it does not choose its address', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())),
      fc.ipV4(),
      (forged, client) => {
        fc.pre(!proxies.has(client));
        const forwarded = [...forged, client, '10.0.0.2'].join(', ');
        return clientAddress('10.0.0.1', forwarded, proxies) === client;
      },
    ),
  );
  t.pass('held');
});

t.test('one IPv6 address has one spelling', async (t) => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const plain = plainAddress(text);
      if (plain === undefined) return false;
      const isDotted = /^\d+(\.\d+){3}$/.test(plain);
      return isDotted || (plain.split(':').length === 8 && plainAddress(plain) === plain);
    }),
  );
  const marks = fc.constantFrom('0', '1', '255', '256', 'ffff', 'g', ':', '::', '.', ' ', '-');
  const near = fc.array(marks, { maxLength: 17 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(near, fc.ipV4(), fc.ipV6()), (text) => {
      return (plainAddress(text) !== undefined) === (isIP(text) !== 0);
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['1.2.3.4:5', '1::2::3', '1.2.3.4::', ':1', '1:', '::1.2.3', '::01.2.3.4']) {
    t.equal(plainAddress(text), undefined, text);
  }
  t.equal(plainAddress('::1:2:3:4:5:6:7'), '0:1:2:3:4:5:6:7');
  t.equal(plainAddress('::ffff:1.2.3.4'), '1.2.3.4');
  t.equal(plainAddress('64:ff9b::1.2.3.4'), '64:ff9b:0:0:0:0:102:304');
  t.equal(plainAddress('::'), '0:0:0:0:0:0:0:0');
  t.equal(plainAddress('1.2.3'), undefined);
});
