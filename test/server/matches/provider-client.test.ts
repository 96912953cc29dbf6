import t, { type Test } from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import type { Environment } from '../../../server/model/environment.ts';
import { ProviderClient } from '../../../server/matches/providers/client.ts';
import { ProviderFault } from '../../../server/matches/providers/fault.ts';
import { Providers } from '../../../server/matches/providers/providers.ts';
import { ProviderTable } from '../../../server/matches/providers/sql.ts';
import { openPostgres } from '../../../server/storage/postgres.ts';
import { readRegistry, type RemoteSpec } from '../../../server/matches/providers/registry.ts';
import { ProviderDouble, type ProviderFaultKind } from '../../support/provider-double.ts';

/** Pauses are noted, and over at once. */
class Pauses {
  readonly milliseconds: number[] = [];
  #now = 0;

  readonly environment: Environment = {
    ...realEnvironment,
    now: () => this.#now,
    elapsed: () => this.#now,
    after: (delay, action) => {
      this.milliseconds.push(delay);
      this.#now += delay;
      const timer = setImmediate(action);
      return () => clearImmediate(timer);
    },
  };
}

async function specOf(url: string, more: object = {}): Promise<RemoteSpec> {
  const spec = { kind: 'openai', baseUrl: `${url}/v1`, model: 'm', timeoutSeconds: 0.3, ...more };
  const found = (await readRegistry(JSON.stringify({ some: spec }))).get('some');
  if (!found || found.kind === 'local') throw new Error('no spec');
  return found;
}

async function clientOf(t: Test, more: object = {}) {
  const double = await ProviderDouble.start(t);
  const pauses = new Pauses();
  const client = new ProviderClient({
    name: 'some',
    spec: await specOf(double.url, more),
    apiKey: 'secret',
    environment: pauses.environment,
  });
  t.teardown(() => client.close());
  const ask = async (faults: ProviderFaultKind[], signal = new AbortController().signal) => {
    double.faults = faults;
    try {
      const body = await client.post('/embeddings', { input: ['a'] }, signal);
      return `${body.length > 0 ? 'answered' : 'empty'} ${double.received.splice(0).length}`;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      return `${error.code} ${double.received.splice(0).length}`;
    }
  };
  return { double, pauses, ask };
}

t.test('what may help is tried again, and what cannot help is not', async (t) => {
  const { ask, pauses } = await clientOf(t);
  t.equal(await ask([]), 'answered 1');
  t.equal(await ask([{ status: 500 }, { status: 503 }]), 'answered 3');
  t.equal(await ask([{ status: 408 }, 'cut']), 'answered 3');
  t.equal(await ask(['nothing']), 'answered 2');
  t.equal(await ask([{ status: 401 }]), 'provider_auth 1');
  t.equal(await ask([{ status: 403 }]), 'provider_auth 1');
  t.equal(await ask([{ status: 400 }]), 'provider_refused 1');
  t.equal(await ask([{ status: 404 }]), 'provider_bad_answer 1');
  t.equal(await ask(['html']), 'provider_bad_answer 1');
  t.equal(await ask(['redirect']), 'provider_bad_answer 1');
  pauses.milliseconds.length = 0;
  t.equal(await ask([{ status: 429, retryAfter: '7' }]), 'answered 2');
  t.ok(pauses.milliseconds.some((pause) => pause >= 7000 && pause < 7100));
  t.equal(await ask([{ status: 503, retryAfter: '9000' }]), 'provider_unavailable 1');
});

t.test('six tries, and the breaker waits half a minute after five failures', async (t) => {
  const { ask, pauses } = await clientOf(t);
  const down = Array.from({ length: 6 }, () => ({ status: 500 }));
  t.equal(await ask(down), 'provider_unavailable 6');
  const long = pauses.milliseconds.filter((pause) => pause > 16_000);
  t.equal(long.length, 1, 'it was open once');
  for (const [at, pause] of pauses.milliseconds.slice(0, 4).entries()) {
    t.ok(pause <= 500 * 2 ** at, 'pauses have a jitter below their bound');
  }
  const before = pauses.milliseconds.length;
  t.equal(await ask([]), 'answered 1');
  t.ok((pauses.milliseconds[before] ?? 0) > 29_000, 'the next request waits, too');
  t.equal(await ask([]), 'answered 1');
  t.equal(pauses.milliseconds.length, before + 1, 'after a success nobody waits');
  const busy = Array.from({ length: 5 }, () => ({ status: 429 }));
  t.equal(await ask(busy), 'answered 6');
  t.ok(pauses.milliseconds.slice(before + 1).every((pause) => pause < 29_000));
});

t.test('requests wait for the rate, and an end is an end', async (t) => {
  const { ask, pauses, double } = await clientOf(t, { rpm: 2 });
  t.equal(await ask([]), 'answered 1');
  t.equal(await ask([]), 'answered 1');
  t.equal(pauses.milliseconds.length, 0);
  t.equal(await ask([]), 'answered 1');
  t.ok((pauses.milliseconds[0] ?? 0) >= 29_000, 'the third one waits for its token');
  t.equal(double.received.length, 0);
  await t.rejects(ask([], AbortSignal.abort(new Error('over'))), { message: 'over' });
  const ending = new AbortController();
  const hanging = ask(['nothing'], ending.signal);
  setImmediate(() => ending.abort(new Error('over')));
  await t.rejects(hanging, { message: 'over' });
});

t.test('a verdict that is far too long is no answer, and is not asked for again', async (t) => {
  const judge = await clientOf(t, { kind: 'chat' });
  t.equal(await judge.ask(['long']), 'provider_bad_answer 1');
  t.equal(await judge.ask([]), 'answered 1', 'nothing was counted against it');
  const vectors = await clientOf(t);
  t.equal(await vectors.ask(['long']), 'answered 1', 'vectors may be as long');
});

t.test('the key travels as a bearer token, and to the address of the registry alone', async (t) => {
  const { double } = await clientOf(t);
  const spec = await specOf(double.url);
  const client = new ProviderClient({
    name: 'some',
    spec,
    apiKey: 'secret',
    environment: realEnvironment,
  });
  t.teardown(() => client.close());
  const { signal } = new AbortController();
  double.faults = ['redirect'];
  await t.rejects(client.post('/embeddings', { input: ['a'] }, signal), {
    code: 'provider_bad_answer',
  });
  await client.post('/embeddings', { input: ['a'] }, signal);
  t.same(
    double.received.map(({ path, authorization }) => [path, authorization]),
    [
      ['/v1/embeddings', 'Bearer secret'],
      ['/v1/embeddings', 'Bearer secret'],
    ],
  );
});

t.test('a registry that cannot be used says where', async (t) => {
  const refused = async (registry: unknown, message: RegExp): Promise<void> => {
    await t.rejects(readRegistry(JSON.stringify(registry)), { name: 'ConfigError', message });
  };
  const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', model: 'm' };
  await refused({ some: { ...openai, kind: 'magic' } }, /some\.kind/);
  await refused({ some: { ...openai, baseUrl: 'file:///etc/passwd' } }, /some\.baseUrl/);
  await refused({ some: { ...openai, baseUrl: 'http://a:b@127.0.0.1/' } }, /some\.baseUrl/);
  await refused({ some: { ...openai, baseUrl: 'http://:b@127.0.0.1/' } }, /some\.baseUrl/);
  await refused({ some: { ...openai, baseUrl: 'http://127.0.0.1/v1?version=1' } }, /some\.baseUrl/);
  await refused({ some: { ...openai, url: 'x' } }, /unrecognized_keys/);
  await refused({ none: openai }, /none/);
  await refused({ local: openai }, /local is of the kind local/);
  await refused({ some: { ...openai, hi: 0.2, lo: 0.4 } }, /hi of some/);
  await refused({ some: { ...openai, matryoshka: true } }, /nativeDim/);
  await t.rejects(readRegistry('{'), { message: /no JSON/ });
  await t.rejects(readRegistry('/nowhere/at/all.json'), { message: /cannot be read/ });
  t.same([...(await readRegistry(undefined)).keys()], ['local']);
  t.same([...(await readRegistry('local')).keys()], ['local']);
});

t.test('a key that cannot be sent is told of at the start, without the key', async (t) => {
  const some = { kind: 'chat', baseUrl: 'http://127.0.0.1:1', model: 'm', apiKeyEnv: 'KEY' };
  const registry = await readRegistry(JSON.stringify({ some }));
  const url = 'postgres://127.0.0.1:1/nowhere';
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const open = (key: string | undefined): Providers =>
    new Providers({
      registry,
      secret: () => key,
      table: new ProviderTable(sql),
      pool: { run: () => Promise.reject(new Error('nothing is to be done')) },
      environment: realEnvironment,
    });
  t.throws(() => open('top-secret\n'), { name: 'ConfigError', message: /^((?!top).)*header$/ });
  t.throws(() => open(undefined), { name: 'ConfigError', message: /not set/ });
  const providers = open('top-secret');
  t.notMatch(JSON.stringify(providers.views), /top-secret|127/);
  await providers.stop();
});
