import { randomBytes } from 'node:crypto';

import { Authenticator } from '../../server/identity/authenticator.ts';
import { makeSecret, secretHash } from '../../server/identity/credential.ts';
import type { IdentityStore, KnownCredential } from '../../server/identity/identity-store.ts';
import type { Environment } from '../../server/model/environment.ts';
import { summarise, type Figure } from '../report.ts';

/** Measures the bearer check with a cached credential; 5 microseconds is the limit. */

const roundCount = 500_000;
const credentialCount = 1000;

const environment: Environment = {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  random: (count) => randomBytes(count),
  after: () => () => undefined,
};

const secrets = Array.from({ length: credentialCount }, () => makeSecret('wbk_live_', environment));
const credentials = new Map(
  secrets.map((secret, index): [string, KnownCredential] => {
    const sha256 = secretHash(secret).toString('hex');
    const userId = `agt_${index}`;
    const principal = {
      userId,
      kind: 'anonymous' as const,
      scopes: ['read', 'write'] as const,
      credentialId: `crd_${index}`,
      namespace: userId,
    };
    return [
      sha256,
      { principal, sha256, expiresAt: undefined, ended: undefined, resource: undefined },
    ];
  }),
);

const store: IdentityStore = {
  findCredential: async (sha256) => credentials.get(sha256.toString('hex')),
  describeCredential: async () => undefined,
  register: async () => ({ kind: 'registered' }),
  findRepeat: async () => undefined,
  revoke: async () => undefined,
  rotate: async () => undefined,
  touch: async () => undefined,
  tidy: async () => undefined,
  listen: async () => async () => undefined,
  namesOf: async () => new Map(),
};

const report = (step: string, error: unknown): void => {
  throw new Error(step, { cause: error });
};
const authenticator = new Authenticator({
  store,
  environment,
  profile: 'off',
  resource: 'http://127.0.0.1',
  report,
});
const headers = secrets.map((secret) => `Bearer ${secret}`);

async function checkAll(): Promise<number> {
  const started = performance.now();
  for (let round = 0; round < roundCount; round++) {
    const principal = authenticator.check(headers[round % credentialCount], '127.0.0.1');
    if (principal instanceof Promise) await principal;
  }
  return performance.now() - started;
}

export async function measureBearerCheck(): Promise<Figure[]> {
  await checkAll();
  const microseconds: number[] = [];
  for (let time = 0; time < 5; time++) microseconds.push(((await checkAll()) * 1000) / roundCount);
  const quire = summarise(microseconds);
  return [{ subject: 'bearer check', measure: 'from the cache', unit: 'µs', quire, due: '5 µs' }];
}
