import { pathToFileURL } from 'node:url';
import t from 'tap';
import { realEnvironment } from '../../server/foundation.ts';
import { makeId } from '../../server/model/identifier.ts';
import { PostgresPair } from '../support/postgres-pair.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Acknowledged writes are on the standby too, whatever happens to the primary. Runs long. */

t.setTimeout(180_000);

class Writer {
  readonly #service: TestService;
  readonly #credential: string;
  readonly #workbookId: string;
  readonly acknowledged: string[] = [];

  constructor(service: TestService, credential: string, workbookId: string) {
    this.#service = service;
    this.#credential = credential;
    this.#workbookId = workbookId;
  }

  static async start(service: TestService): Promise<Writer> {
    const credential = await service.register();
    const made = await service.request('/v1/workbooks', { credential, body: {} });
    return new Writer(service, credential, (made.json as { id: string }).id);
  }

  async write(id: string): Promise<TestAnswer> {
    const payload = { cells: [{ a1: 'A1', input: id }] };
    const answer = await this.#service.request(this.#path('ops'), {
      credential: this.#credential,
      body: { ops: [{ id, kind: 'cells.set', payload }] },
    });
    if (answer.status === 200) {
      const { status } = answer.json as { status: string };
      if (!['applied', 'duplicate'].includes(status)) throw new Error(answer.text);
      this.acknowledged.push(id);
    }
    return answer;
  }

  async insist(id: string): Promise<TestAnswer> {
    for (;;) {
      const answer = await this.write(id);
      if (answer.status !== 503) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Returns the ids in the journal, as a client is told them. */
  async written(service: TestService): Promise<string[]> {
    const answer = await service.request(this.#path('ops'), { credential: this.#credential });
    const { ops } = answer.json as { ops: { id: string | null }[] };
    return ops.flatMap(({ id }) => (id === null ? [] : [id]));
  }

  #path(end: string): string {
    return `/v1/workbooks/${this.#workbookId}/branches/main/${end}`;
  }
}

function newId(): string {
  return makeId('', realEnvironment);
}

function backendsInWait(pair: PostgresPair): Promise<readonly { pid: number }[]> {
  return pair.ask('a', (sql) => {
    return sql<{ pid: number }[]>`select pid from pg_stat_activity where wait_event = 'SyncRep'`;
  });
}

async function untilSomebodyWaits(pair: PostgresPair): Promise<readonly { pid: number }[]> {
  for (;;) {
    const found = await backendsInWait(pair);
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function cancelAllWaits(pair: PostgresPair, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    for (const { pid } of await backendsInWait(pair)) {
      await pair.ask('a', (sql) => sql`select pg_cancel_backend(${pid}::int)`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Settings of services on one pair, which share its object store. */
async function settingsOf(pair: PostgresPair) {
  const store = pathToFileURL(await makeTemporaryFolder(t)).href;
  return (name: 'a' | 'b') => ({ DATABASE_URL: pair.url(name), OBJECT_STORE_URL: store });
}

type PairSettings = Awaited<ReturnType<typeof settingsOf>>;

async function checkOnStandby(
  pair: PostgresPair,
  writer: Writer,
  settings: PairSettings,
): Promise<string[]> {
  await pair.kill('a');
  await pair.promote('b');
  const late = await TestService.start(t, settings('b'));
  return writer.written(late);
}

t.test('what a restarted primary shows is not acknowledged before a standby has it', async (t) => {
  const pair = await PostgresPair.start(t);
  const settings = await settingsOf(pair);
  const service = await TestService.start(t, settings('a'));
  const writer = await Writer.start(service);
  const [kept, unsafe] = [newId(), newId()];
  t.equal((await writer.write(kept)).status, 200);
  await pair.kill('b');
  const answer = writer.write(unsafe);
  await untilSomebodyWaits(pair);
  await pair.kill('a');
  await pair.begin('a');
  t.equal((await answer).status, 503);
  // The write can be seen, and a repeat must not be told that it is a duplicate.
  t.equal((await writer.write(unsafe)).status, 503);
  await pair.begin('b');
  const written = await checkOnStandby(pair, writer, settings);
  for (const id of writer.acknowledged) t.ok(written.includes(id), id);
});

t.test('a cancelled wait for the standby is not taken for a commit', async (t) => {
  const pair = await PostgresPair.start(t);
  const settings = await settingsOf(pair);
  const service = await TestService.start(t, settings('a'));
  const writer = await Writer.start(service);
  const [kept, unsafe] = [newId(), newId()];
  t.equal((await writer.write(kept)).status, 200);
  await pair.kill('b');
  const over = new AbortController();
  const answer = writer.write(unsafe).finally(() => over.abort());
  await untilSomebodyWaits(pair);
  await cancelAllWaits(pair, over.signal);
  t.equal((await answer).status, 503);
  await pair.begin('b');
  t.match((await writer.insist(unsafe)).json, { status: 'duplicate' });
  const written = await checkOnStandby(pair, writer, settings);
  t.equal(writer.acknowledged.length, 2);
  for (const id of writer.acknowledged) t.ok(written.includes(id), id);
});
