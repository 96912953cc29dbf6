import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { testSeed } from '../support/test-seed.ts';

/** Runs long: the process is killed in imports and upserts. */

/** Rows that come as several operations are there wholly or not at all, and never twice. */

/** QUIRE_CASES=300 kills it as often. */
const rounds = caseCount(4);
/** Rounds of which one is written in the background. */
const backgroundEvery = 4;
const rowCount = 12_000;
const operationsPerRound = 3;
const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' };

interface Sent {
  readonly body?: object;
  readonly lines?: string;
  readonly prefer?: string | undefined;
}

class Client {
  url = '';
  credential = '';

  /** Undefined when the process was gone before it answered. */
  async ask(path: string, { body, lines, prefer }: Sent = {}): Promise<unknown> {
    const sent = body === undefined ? lines : JSON.stringify(body);
    const headers = {
      ...(this.credential !== '' && { authorization: `Bearer ${this.credential}` }),
      ...(prefer !== undefined && { prefer }),
      ...(sent !== undefined && {
        'content-type': lines === undefined ? 'application/json' : 'application/x-ndjson',
      }),
    };
    try {
      const answer = await fetch(this.url + path, {
        headers,
        ...(sent !== undefined && { method: 'POST', body: sent }),
      });
      const json: unknown = await answer.json();
      if (answer.status >= 300) throw new Error(`${path} answered ${JSON.stringify(json)}`);
      return json;
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** Waits until a write that was answered 202 has ended, by whichever process. */
async function ended(client: Client, poll: string): Promise<string> {
  for (;;) {
    const write = await client.ask(poll, { prefer: 'wait=5' });
    const { status } = write as { status: string };
    if (status !== 'queued' && status !== 'running') return status;
  }
}

function linesOf(round: number): string {
  const rows = Array.from({ length: rowCount }, (_, at) => ({ sku: `k${at}`, price: round }));
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

/** The request of a round: by its number all or nothing, an import, or in the background. */
function requestOf(round: number) {
  const isAtomic = round % 2 === 1;
  const mode = round % 3 === 0 ? 'import' : 'upsert';
  const query = `mode=${mode}&atomic=${isAtomic}&id=round-${round}`;
  const prefer = round % backgroundEvery === 0 ? 'wait=0' : undefined;
  return { isAtomic, query, prefer, lines: linesOf(round) };
}

t.test('rows are written once and wholly, whenever the process is killed', async (t) => {
  const random = new SeededRandom(testSeed);
  const folder = await makeDataDirectory(t);
  const client = new Client();
  const start = async (): Promise<ServiceProcess> => {
    const service = await ServiceProcess.start(t, folder, settings, doubleProgram);
    client.url = service.url;
    return service;
  };
  let service = await start();
  const agent = await client.ask('/agent/auth', { body: { type: 'anonymous' } });
  client.credential = (agent as { data: { credential: string } }).data.credential;
  const made = await client.ask('/v1/workbooks', { body: {} });
  const at = `/v1/workbooks/${(made as { id: string }).id}`;
  const schema = { sku: 'text', price: 'number' };
  const table = { name: 'Goods', keyColumn: 'sku', schema };
  await client.ask(`${at}/branches/main/tables`, { body: table });
  for (let round = 1; round <= rounds; round++) {
    const { isAtomic, query, prefer, lines } = requestOf(round);
    const path = `${at}/branches/main/tables/Goods/rows?${query}`;
    const sending = client.ask(path, { lines, prefer });
    await sleep(random.between(50, 1_500));
    await service.kill();
    const answer = await sending;
    const wasAnswered = answer !== undefined;
    service = await start();
    const { poll } = (answer ?? {}) as { poll?: string };
    if (poll !== undefined) t.equal(await ended(client, poll), 'done', 'another process goes on');
    const groups = await client.ask(`${at}/tables/Goods/rows?group=price&count=`);
    const counts = (groups as { groups: { price: number; count: number }[] }).groups;
    const written = counts.find(({ price }) => price === round)?.count ?? 0;
    if (isAtomic) t.ok(written === 0 || written === rowCount, `round ${round}: ${written} rows`);
    if (wasAnswered) t.equal(written, rowCount, 'what was answered is there');
    const again = await client.ask(path, { lines });
    const { inserted, updated, unchanged } = again as Record<string, number>;
    t.equal((inserted ?? 0) + (updated ?? 0) + (unchanged ?? 0), rowCount, 'a repeat completes it');
    const { ref } = (await client.ask(`${at}/tables/Goods`)) as { ref: { seq: number } };
    t.equal(ref.seq, 2 + round * operationsPerRound, 'no operation was written twice');
  }
  await service.stop();
});
