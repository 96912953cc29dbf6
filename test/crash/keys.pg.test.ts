import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';

import { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';

/** Requests under an Idempotency-Key are done once, whenever the process is killed. Runs long. */

interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly isReplayed: boolean;
}

class KilledService {
  #service: ServiceProcess | undefined;
  readonly #t: Test;
  readonly #folder: string;
  credential = '';

  constructor(t: Test, folder: string) {
    this.#t = t;
    this.#folder = folder;
  }

  get #crashFile(): string {
    return join(this.#folder, 'crash-at');
  }

  async start(): Promise<void> {
    await rm(this.#crashFile, { force: true });
    const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', QUIRE_CRASH_FILE: this.#crashFile };
    this.#service = await ServiceProcess.start(this.#t, this.#folder, settings, doubleProgram);
  }

  async register(): Promise<void> {
    const { json } = await this.must('/agent/auth', { body: { type: 'anonymous' } });
    this.credential = (json as { data: { credential: string } }).data.credential;
  }

  get #url(): string {
    return this.#service?.url ?? '';
  }

  /** It ends when so many requests have come to the place. */
  crashAt(place: string, count: number): Promise<void> {
    return writeFile(this.#crashFile, `${place} ${count}`);
  }

  async kill(): Promise<void> {
    await this.#service?.kill();
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  /** Undefined when the process was gone before it answered. */
  async ask(path: string, { method, body, key }: Sent = {}): Promise<Answer | undefined> {
    const headers = {
      ...(this.credential !== '' && { authorization: `Bearer ${this.credential}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const named = method === undefined ? {} : { method };
    try {
      const answer = await fetch(`${this.#url}${path}`, { headers, ...sent, ...named });
      const text = await answer.text();
      const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
      return {
        status: answer.status,
        json: text === '' ? undefined : JSON.parse(text),
        isReplayed,
      };
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  async must(path: string, sent: Sent = {}): Promise<Answer> {
    const answer = await this.ask(path, sent);
    if (answer && answer.status < 300) return answer;
    throw new Error(`${path} answered ${JSON.stringify(answer)}`);
  }
}

interface Case {
  readonly name: string;
  /** Below the workbook, or a whole path. */
  readonly path: (book: string, mid: string) => string;
  readonly sent: Sent;
  /** Reads the visible result of the request; it is the same after one request as after several. */
  readonly look: (service: KilledService, book: string, mid: string) => Promise<unknown>;
}

const branchesOf = async (service: KilledService, book: string) => {
  const { json } = await service.must(`${book}/branches`);
  return (json as { branches: { name: string }[] }).branches.map(({ name }) => name);
};
const commitsOf = async (service: KilledService, book: string) =>
  (await service.must(`${book}/commits`)).json;
const settingsOf = async (service: KilledService, book: string) =>
  (await service.must(`${book}/settings`)).json;
const mergesOf = async (service: KilledService, book: string) => {
  const { json } = await service.must(`${book}/merges`);
  const { merges, total } = json as { merges: { id: string; state: string }[]; total: number };
  return { total, merges: merges.map(({ state }) => state) };
};
const mergeOf = async (service: KilledService, book: string, mid: string) => {
  const { json } = await service.must(`${book}/merges/${mid}`);
  const { state, timeline, revision } = json as Record<string, unknown>;
  return { state, timeline, revision };
};
const workbooksOf = async (service: KilledService) => {
  const { json } = await service.must('/v1/workbooks?include=archived&limit=500');
  const { total, workbooks } = json as { total: number; workbooks: { name: string }[] };
  return { total, names: workbooks.map(({ name }) => name) };
};

const cases: readonly Case[] = [
  {
    name: 'create',
    path: () => '/v1/workbooks',
    sent: { body: { name: 'once' } },
    look: workbooksOf,
  },
  {
    name: 'rename',
    path: (book) => book,
    sent: { method: 'PATCH', body: { name: 'renamed' } },
    look: workbooksOf,
  },
  {
    name: 'fork',
    path: (book) => `${book}/branches`,
    sent: { body: { name: 'b' } },
    look: branchesOf,
  },
  {
    name: 'protected fork',
    path: (book) => `${book}/branches`,
    sent: { body: { name: 'p', protected: true } },
    look: async (service, book) => [
      await branchesOf(service, book),
      await settingsOf(service, book),
    ],
  },
  {
    name: 'delete a branch',
    path: (book) => `${book}/branches/spare`,
    sent: { method: 'DELETE' },
    look: branchesOf,
  },
  {
    name: 'commit',
    path: (book) => `${book}/branches/main/commit`,
    sent: { body: { message: 'once' } },
    look: commitsOf,
  },
  {
    name: 'tagged commit',
    path: (book) => `${book}/branches/main/commit`,
    sent: { body: { message: 'once', tag: 'v1' } },
    look: commitsOf,
  },
  {
    name: 'settings',
    path: (book) => `${book}/settings`,
    sent: { method: 'PUT', body: { policy: { branch: { maxBranches: 9 } } } },
    look: settingsOf,
  },
  {
    name: 'settings of a version',
    path: (book) => `${book}/settings`,
    sent: { method: 'PUT', body: { policy: { branch: { maxBranches: 8 } }, expectVersion: 0 } },
    look: settingsOf,
  },
  {
    name: 'merge',
    path: (book) => `${book}/merges`,
    sent: { body: { source: 'side', target: 'main' } },
    look: mergesOf,
  },
  {
    name: 'merge at once',
    path: (book) => `${book}/merges`,
    sent: { body: { source: 'side', target: 'main', apply: 'auto' } },
    look: mergesOf,
  },
  {
    name: 'approve',
    path: (book, mid) => `${book}/merges/${mid}/approve`,
    sent: { body: { comment: 'yes' } },
    look: mergeOf,
  },
  {
    name: 'abort',
    path: (book, mid) => `${book}/merges/${mid}/abort`,
    sent: { body: { reason: 'no' } },
    look: mergeOf,
  },
  {
    name: 'units',
    path: (book, mid) => `${book}/merges/${mid}/units`,
    sent: { method: 'PUT', body: { groups: [{ id: 'all', members: ['*'], decision: 'accept' }] } },
    look: mergeOf,
  },
  {
    name: 'archive',
    path: (book) => book,
    sent: { method: 'DELETE' },
    look: workbooksOf,
  },
];

async function makeBook(service: KilledService): Promise<{ book: string; mid: string }> {
  const { json } = await service.must('/v1/workbooks', { body: {} });
  const book = `/v1/workbooks/${(json as { id: string }).id}`;
  await service.must(`${book}/branches`, { body: { name: 'side' } });
  await service.must(`${book}/branches`, { body: { name: 'spare' } });
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } }];
  await service.must(`${book}/branches/side/ops`, { body: { ops } });
  const merge = await service.must(`${book}/merges`, { body: { source: 'side', target: 'main' } });
  return { book, mid: (merge.json as { id: string }).id };
}

t.test('a request that was killed is answered, and done once', async (t) => {
  const service = new KilledService(t, await makeDataDirectory(t));
  await service.start();
  await service.register();
  for (const place of ['key.finish', 'key.begun']) {
    const books = await Promise.all(cases.map(() => makeBook(service)));
    // Two cases make a workbook of one name, which is freed in between.
    await Promise.all(
      books.map(({ book }, index) =>
        service.must(book, { method: 'PATCH', body: { name: `${place} ${index}` } }),
      ),
    );
    const keyed = cases.map(({ name, path, sent, look }, index) => {
      const { book, mid } = books[index] ?? { book: '', mid: '' };
      const request = { ...sent, key: `${place}-${name.replaceAll(' ', '-')}` };
      if (name === 'create') request.body = { name: `once ${place}` };
      if (name === 'rename') request.body = { name: `renamed ${place}` };
      const send = () => service.ask(path(book, mid), request);
      return { name, send, look: () => look(service, book, mid) };
    });
    // All of them are at the place when the process ends.
    await service.crashAt(place, cases.length);
    const killed = await Promise.all(keyed.map(({ send }) => send()));
    for (const [index, { name }] of keyed.entries()) {
      t.equal(killed[index], undefined, `${name} is killed at ${place}`);
    }
    await service.kill();
    await service.start();
    for (const { name, send, look } of keyed) {
      const between = place === 'key.finish' ? await look() : undefined;
      const again = await send();
      t.ok(again && again.status < 300, `${name} after ${place}: ${JSON.stringify(again)}`);
      const seen = await look();
      if (between !== undefined && name !== 'approve')
        t.same(seen, between, `${name} is done once`);
      const third = await send();
      t.match(third, { isReplayed: true, status: again?.status ?? 0 }, `${name} is repeated`);
      t.same(await look(), seen);
    }
  }
  await service.stop();
});

t.test('as many keys as workbooks, however often the process is killed', async (t) => {
  const random = new SeededRandom(testSeed);
  const service = new KilledService(t, await makeDataDirectory(t));
  await service.start();
  await service.register();
  const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
  const ids = new Map<string, string>();
  const create = async (key: string): Promise<void> => {
    const answer = await service.ask('/v1/workbooks', { body: { name: key }, key });
    if (!answer) return;
    if (answer.status !== 201) throw new Error(`${key}: ${JSON.stringify(answer)}`);
    const { id } = answer.json as { id: string };
    const known = ids.get(key) ?? id;
    ids.set(key, id);
    if (known !== id) throw new Error(`${key} made ${known} and ${id}`);
  };
  for (let round = 0; round < 5; round++) {
    const killed = sleep(random.between(20, 400)).then(() => service.kill());
    await Promise.all([...keys.map(create), killed]);
    await service.start();
  }
  await Promise.all(keys.map(create));
  t.equal(ids.size, keys.length);
  t.match(await workbooksOf(service), { total: keys.length });
  await service.stop();
});
