import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { claimedAgent, type ClaimedAgent } from '../support/claimed-agent.ts';
import { SlowClient, type Received } from '../support/slow-client.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: answers of megabytes are read slowly. */

/** Time in which a client sends or reads nothing: longer than a right counts without a look. */
const restMilliseconds = 900;
/** Time after which a client reads on: nothing that it still gets was sent later. */
const cutMilliseconds = 300;

const writing = '/branches/main/ops';

/** Writes some 22 MB of text: more than the buffers of two sockets hold. */
async function fill(book: Book): Promise<void> {
  const text = 'x'.repeat(4_000);
  for (let at = 0; at < 700; at += 100) {
    const inputs = Array.from({ length: 100 }, (_, row) =>
      Array.from({ length: 8 }, (_, column) => `${text}${at + row} ${column}`),
    );
    const ops = [{ kind: 'range.set', payload: { range: `A${at + 1}:H${at + 100}`, inputs } }];
    const { status, text: told } = await book.ask(writing, { body: { writer: 'w', ops } });
    if (status !== 200) throw new Error(told);
  }
}

const lines = ['Accept: application/x-ndjson'];
const packed = ['Accept: application/msgpack'];

/** Rests of paths of long answers, with the headers of their requests. */
const longAnswers: readonly (readonly [rest: string, headers: readonly string[]])[] = [
  ['/branches/main/export?format=ndjson', []],
  ['/branches/main/export?format=csv', []],
  ['/branches/main/export', []],
  [`${writing}?limit=1000`, lines],
  [`${writing}?limit=1000`, []],
  ['/values?whole=true', [...lines, 'Prefer: wait=10']],
  ['/slice?range=A1:H700', packed],
  ['/diff?from=main@1&format=ndjson', []],
];

/** Begins to read each answer, ends the right, and reads on. */
async function readOver(
  { service, id }: Book,
  credential: string,
  end: () => Promise<unknown>,
): Promise<ReadonlyMap<string, Received>> {
  const clients = longAnswers.map(([rest, headers]) => {
    const line = `GET /v1/workbooks/${id}${rest}`;
    return [
      `${rest} ${headers.join()}`,
      SlowClient.begin(service.url, credential, { line, headers }),
    ] as const;
  });
  await Promise.all(clients.map(([, client]) => client.pause()));
  await sleep(restMilliseconds);
  await end();
  await sleep(cutMilliseconds);
  return new Map(
    await Promise.all(clients.map(async ([name, client]) => [name, await client.rest()] as const)),
  );
}

function allAreCut(t: Test, read: ReadonlyMap<string, Received>): void {
  for (const [name, { text, isWhole }] of read) {
    t.match(text, /^HTTP\/1\.1 200 /u, name);
    t.notOk(isWhole, `${name} does not look whole`);
  }
}

t.test('an answer under way ends with the right to it, and does not look whole', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  await fill(book);
  const guest = await claimedAgent(service.url);
  const shared = `/collaborators/${guest.userId}`;
  const share = () => book.ask(shared, { method: 'PUT', body: { role: 'viewer' } });
  await share();

  allAreCut(
    t,
    await readOver(book, guest.credential, () => book.ask(shared, { method: 'DELETE' })),
  );
  await share();
  const { credential } = guest;
  const revoke = () => service.request('/agent/auth/revoke', { credential, body: {} });
  allAreCut(t, await readOver(book, credential, revoke));

  const confirm: string[] = [];
  const archived = await readOver(book, book.credential, async () => {
    confirm.push(await book.archive());
  });
  for (const [name, { isWhole }] of archived) t.ok(isWhole, `${name} can be read in the archive`);
  const [token = ''] = confirm;
  allAreCut(t, await readOver(book, book.credential, () => book.purge(token)));
});

t.test('what comes slowly is not written for somebody who lost the right to', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  const slowWrite = async (
    { credential }: ClaimedAgent,
    end: () => Promise<unknown>,
  ): Promise<string> => {
    const operation = { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } };
    const body = JSON.stringify({ writer: 'w', ops: [operation] });
    const line = `POST /v1/workbooks/${book.id}${writing}`;
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const client = SlowClient.begin(service.url, credential, { line, headers });
    client.send(body.slice(0, 20));
    await sleep(restMilliseconds);
    await end();
    client.send(body.slice(20));
    return (await client.rest()).text;
  };
  const guest = await claimedAgent(service.url);
  const shared = `/collaborators/${guest.userId}`;
  const give = (role: string) => book.ask(shared, { method: 'PUT', body: { role } });
  await give('editor');
  t.match(await slowWrite(guest, async () => undefined), /^HTTP\/1\.1 200 /u);
  t.match(await slowWrite(guest, () => give('viewer')), /^HTTP\/1\.1 403 [^]*"forbidden"/u);
  await give('editor');
  const remove = () => book.ask(shared, { method: 'DELETE' });
  t.match(await slowWrite(guest, remove), /^HTTP\/1\.1 404 /u);
  await give('editor');
  const { credential } = guest;
  const revoke = () => service.request('/agent/auth/revoke', { credential, body: {} });
  t.match(await slowWrite(guest, revoke), /^HTTP\/1\.1 401 /u);
  const { json } = await book.ask(writing);
  const { ops } = json as { ops: readonly { actor: string }[] };
  t.equal(ops.filter(({ actor }) => actor === guest.userId).length, 1);
});
