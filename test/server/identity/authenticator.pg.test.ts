import t from 'tap';
import type { Test } from 'tap';

import { Authenticator } from '../../../server/identity/authenticator.ts';
import type { IdentityStore } from '../../../server/identity/identity-store.ts';
import { Registrations } from '../../../server/identity/registration.ts';
import { PostgresIdentityStore } from '../../../server/identity/sql.ts';
import { makeSecret, secretHash } from '../../../server/identity/credential.ts';
import type { Environment } from '../../../server/model/environment.ts';
import type { LimitsProfile } from '../../../server/model/limits.ts';
import type { Principal } from '../../../server/model/scope.ts';
import type { Sql } from '../../../server/storage/postgres.ts';
import { realEnvironment } from '../../support/edge-server.ts';
import { failureOf } from '../../support/failure-of.ts';
import { openTestDatabase } from '../../support/postgres.ts';

const dayMilliseconds = 86_400_000;
const addresses = { baseUrl: 'http://q', authUrl: 'http://q', siteUrl: 'http://q' };

/** Real time, moved forward by hand. */
class MovedClock implements Environment {
  movedMilliseconds = 0;
  now = (): number => Date.now() + this.movedMilliseconds;
  elapsed = (): number => this.now();
  random = (count: number): Uint8Array => realEnvironment.random(count);
  after = (delay: number, action: () => void): (() => void) => realEnvironment.after(delay, action);
}

interface World {
  readonly sql: Sql;
  readonly clock: MovedClock;
  readonly store: IdentityStore;
  readonly lookups: () => number;
  readonly authenticator: Authenticator;
  readonly register: (address?: string) => Promise<string>;
}

async function makeWorld(t: Test, profile: LimitsProfile = 'on'): Promise<World> {
  const sql = await openTestDatabase(t);
  const clock = new MovedClock();
  const store = new PostgresIdentityStore(sql);
  let lookups = 0;
  const find = store.findCredential.bind(store);
  store.findCredential = (sha256) => {
    lookups++;
    return find(sha256);
  };
  const report = (step: string, error: unknown): void => {
    t.fail(`could not ${step}`, { error });
  };
  const authenticator = new Authenticator({
    store,
    environment: clock,
    profile,
    resource: 'http://127.0.0.1',
    report,
  });
  await authenticator.start();
  t.teardown(() => authenticator.stop());
  const registrations = new Registrations(store, clock, addresses, profile);
  const register = async (address = '192.0.2.1'): Promise<string> => {
    const client = { name: 'test', version: undefined };
    const request = { client, address, requestId: 'req_test', idempotencyKey: undefined };
    const { data } = await registrations.registerAnonymous(request);
    return String(data['credential']);
  };
  return { sql, clock, store, lookups: () => lookups, authenticator, register };
}

async function reasonOf(action: () => Principal | Promise<Principal>): Promise<unknown> {
  const failure = await failureOf(action);
  return failure === undefined ? 'admitted' : (failure.extra['reason'] ?? failure.code);
}

t.test('a known key is answered from the cache, without a promise', async (t) => {
  const { authenticator, register, lookups } = await makeWorld(t);
  const header = `Bearer ${await register()}`;
  const first = authenticator.check(header, '192.0.2.1');
  t.ok(first instanceof Promise);
  t.match(await first, { kind: 'anonymous', scopes: ['read', 'write'], userId: /^agt_/ });
  t.notOk(authenticator.check(header, '192.0.2.1') instanceof Promise);
  t.equal(lookups(), 1);
});

t.test('what is not a key of ours never reaches the database', async (t) => {
  const { authenticator, lookups } = await makeWorld(t);
  const check = (header?: string) => reasonOf(() => authenticator.check(header, '192.0.2.1'));
  t.equal(await check(), 'unauthenticated');
  t.equal(await check('Basic abc'), 'unauthenticated');
  t.equal(await check('Bearer '), 'malformed');
  t.equal(await check(`Bearer wbk_live_${'0'.repeat(38)}`), 'malformed');
  t.equal(lookups(), 0);
});

t.test('a revocation is heard by every process at once', async (t) => {
  const { authenticator, register, sql } = await makeWorld(t);
  const key = await register();
  await authenticator.check(`Bearer ${key}`, '192.0.2.1');
  // Another process revokes: this one learns of it by the notification only.
  const other = new PostgresIdentityStore(sql);
  await other.revoke(secretHash(key), {
    kind: 'credential.revoked',
    userId: undefined,
    credentialId: undefined,
    address: '',
    requestId: '',
    at: new Date(),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(await reasonOf(() => authenticator.check(`Bearer ${key}`, '192.0.2.1')), 'revoked');
});

t.test('an unused key expires, a used one slides on', async (t) => {
  const { authenticator, register, clock } = await makeWorld(t);
  const [used, unused] = [await register(), await register()];
  clock.movedMilliseconds = 20 * dayMilliseconds;
  await authenticator.check(`Bearer ${used}`, '192.0.2.1');
  await authenticator.stop();
  clock.movedMilliseconds = 40 * dayMilliseconds;
  t.equal(await reasonOf(() => authenticator.check(`Bearer ${used}`, '192.0.2.1')), 'admitted');
  t.equal(await reasonOf(() => authenticator.check(`Bearer ${unused}`, '192.0.2.1')), 'expired');
});

t.test('unknown keys are remembered shortly, and an address is held up after many', async (t) => {
  const { authenticator, lookups, clock, register } = await makeWorld(t);
  const guess = (): string => `Bearer ${makeSecret('wbk_live_', realEnvironment)}`;
  const one = guess();
  t.equal(await reasonOf(() => authenticator.check(one, '192.0.2.9')), 'unknown');
  t.equal(await reasonOf(() => authenticator.check(one, '192.0.2.9')), 'unknown');
  t.equal(lookups(), 1);
  const reasons = new Set<unknown>();
  for (let count = 0; count < 70; count++) {
    reasons.add(await reasonOf(() => authenticator.check(guess(), '192.0.2.9')));
  }
  t.ok(reasons.has('rate_limited'));
  t.ok(lookups() <= 62);
  const good = `Bearer ${await register()}`;
  t.equal(await reasonOf(() => authenticator.check(good, '192.0.2.1')), 'admitted');
  clock.movedMilliseconds = 70_000;
  t.equal(await reasonOf(() => authenticator.check(guess(), '192.0.2.9')), 'unknown');
});

t.test('five registrations an hour from one network, a hundred in all', async (t) => {
  const { register, clock } = await makeWorld(t);
  for (let count = 0; count < 5; count++) await register('2001:db8:0:1:0:0:0:1');
  const limited = () => register('2001:db8:0:1:0:0:0:2');
  t.match(await failureOf(limited), {
    key: 'rateLimited',
    extra: { scope: 'ip' },
    headers: {
      'RateLimit-Policy': '"registration";q=5;w=3600',
      RateLimit: /^"registration";r=0;t=\d+$/,
    },
  });
  for (let count = 0; count < 95; count++) await register(`198.51.100.${count}`);
  t.match(await failureOf(() => register('203.0.113.1')), {
    key: 'rateLimited',
    extra: { scope: 'global' },
  });
  clock.movedMilliseconds = 3_700_000;
  t.match(await register('2001:db8:0:1:0:0:0:2'), /^wbk_live_/);
});

t.test('the database holds no secret', async (t) => {
  const { register, sql } = await makeWorld(t);
  const key = await register();
  const tables = ['identity_user', 'credential', 'registration', 'auth_event'];
  for (const table of tables) {
    const rows = await sql`select t::text as row from ${sql(table)} t`;
    t.ok(rows.length > 0, table);
    t.notMatch(JSON.stringify(rows), key.slice(9, 40));
  }
});
