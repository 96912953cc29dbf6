import t from 'tap';

import { isWellFormed, makeSecret, secretHash } from '../../../server/identity/credential.ts';
import { addressGroup } from '../../../server/identity/registration.ts';
import { seal, unseal } from '../../../server/identity/repeat.ts';
import { realEnvironment } from '../../support/edge-server.ts';

t.test('a key has a checksum that catches every slip of one character', async (t) => {
  const key = makeSecret('wbk_live_', realEnvironment);
  t.match(key, /^wbk_live_[0-9A-Za-z]{38}$/);
  t.ok(isWellFormed('wbk_live_', key));
  t.notOk(isWellFormed('wbc_', key));
  for (let index = 9; index < key.length; index++) {
    const other = key[index] === 'x' ? 'y' : 'x';
    t.notOk(isWellFormed('wbk_live_', key.slice(0, index) + other + key.slice(index + 1)));
  }
});

t.test('the example of the specification is well formed', async (t) => {
  t.ok(isWellFormed('wbk_live_', 'wbk_live_47A777zgbVHi2zgoHsDhxhbQHkWItt4a3pFRUk'));
});

t.test('keys differ, use the whole alphabet and hash to 32 bytes', async (t) => {
  const keys = Array.from({ length: 200 }, () => makeSecret('wbc_', realEnvironment));
  t.equal(new Set(keys).size, 200);
  t.equal(new Set(keys.join('').replaceAll('wbc_', '')).size, 62);
  t.equal(secretHash(keys[0] ?? '').length, 32);
});

t.test('a sealed answer opens with its key only', async (t) => {
  const sealed = seal('secret', 'key-1', realEnvironment);
  t.equal(unseal(sealed, 'key-1'), 'secret');
  t.throws(() => unseal(sealed, 'key-2'));
  t.notMatch(sealed.toString('latin1'), 'secret');
});

t.test('an IPv6 network counts as one address', async (t) => {
  t.equal(addressGroup('192.0.2.7'), '192.0.2.7');
  t.equal(addressGroup('2001:db8:0:1:0:0:0:9'), '2001:db8:0:1::/64');
});
