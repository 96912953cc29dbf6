import t from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { isSecret, makeSecret, SecretSeal, sign } from '../../../server/webhooks/secret.ts';

t.test('signatures are those of Standard Webhooks', async (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const body = '{"test": 2432232314}';
  const signature = sign(secret, { id, timestamp: 1_614_265_330, body });
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

t.test('a secret is whsec_ and 24 to 64 bytes in base64', async (t) => {
  t.ok(isSecret(makeSecret(realEnvironment)));
  const of = (length: number): string => `whsec_${Buffer.alloc(length, 255).toString('base64')}`;
  for (const length of [24, 64]) t.ok(isSecret(of(length)), String(length));
  for (const text of [of(23), of(65), 'whsec_', '', of(24).slice(6), `${of(24)}=`, `${of(24)} `]) {
    t.notOk(isSecret(text), text);
  }
});

t.test('a sealed secret opens for its webhook alone', async (t) => {
  const seal = new SecretSeal(Buffer.alloc(32, 1), realEnvironment);
  const sealed = seal.seal('whk_1', 'whsec_x');
  t.equal(seal.open('whk_1', sealed), 'whsec_x');
  t.notMatch(sealed.toString('latin1'), 'whsec');
  t.throws(() => seal.open('whk_2', sealed));
  const other = new SecretSeal(Buffer.alloc(32, 2), realEnvironment);
  t.throws(() => other.open('whk_1', sealed));
});
