import t from 'tap';

import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import { HookReceiver, isSigned } from '../support/hook-receiver.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface Made {
  readonly id: string;
  readonly secret: string;
}

interface Seen {
  readonly disabledAt: string | null;
  readonly disabledBecause: string | null;
  readonly deliveries: readonly {
    readonly id: string;
    readonly state: string;
    readonly attempts: number;
    readonly at: string;
    readonly lastStatus: number | null;
    readonly lastError: string | null;
  }[];
}

async function hook(book: Book, url: string, more: object = {}): Promise<Made> {
  const answer = await book.ask('/webhooks', { body: { url, ...more } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json as Made;
}

/** The webhook as soon as it is as wanted. */
async function seen(book: Book, id: string, wanted: (hook: Seen) => boolean): Promise<Seen> {
  const end = Date.now() + 20_000;
  for (;;) {
    const { json } = await book.ask(`/webhooks/${id}`);
    if (wanted(json as Seen)) return json as Seen;
    if (Date.now() > end) throw new Error(JSON.stringify(json));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

t.test('what happens in a workbook is sent, signed, once each', async (t) => {
  const service = await TestService.start(t);
  const receiver = await HookReceiver.start(t);
  const book = await Book.create(service);
  await book.set('A1', 'before');
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const events = ['operations.applied', 'commit.created', 'branch.created', 'branch.deleted'];
  const answer = await book.ask('/webhooks', { body: { url: receiver.url, events, secret } });
  t.match(answer, { status: 201, json: { id: /^whk_/, url: receiver.url, events, secret } });
  const { id } = answer.json as Made;
  t.equal(answer.headers.get('location'), `/v1/workbooks/${book.id}/webhooks/${id}`);
  await book.set('A1', 1, 'first');
  const [first] = await receiver.count(1);
  t.match(first, {
    id: /^msg_/,
    type: 'operations.applied',
    data: {
      workbook: book.id,
      branch: 'main',
      firstSeq: 3,
      lastSeq: 3,
      operations: [{ seq: 3, id: 'first', kind: 'cells.set', writer: 'w', principal: /^agt_/ }],
    },
  });
  if (first) t.ok(isSigned(first, secret, Date.now()));
  const journal = String(first?.data['journal']);
  const read = await service.request(journal, { credential: book.credential });
  t.match(read, { status: 200, json: { ops: [{ seq: 3, id: 'first' }] } });
  await book.ask('/branches/main/commit', { body: { message: 'm', tag: 'v1' } });
  await book.ask('/branches', { body: { name: 'side' } });
  await book.ask('/branches/side/ops', {
    body: { ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'B1', input: 2 }] } }] },
  });
  await receiver.until((all) =>
    all.some(({ data }) => data['branch'] === 'side' && data['lastSeq']),
  );
  await book.ask('/branches/side', { method: 'DELETE' });
  const all = await receiver.until((got) => got.some(({ type }) => type === 'branch.deleted'));
  t.match(
    all.find(({ type }) => type === 'commit.created'),
    { data: { branch: 'main', seq: 4, message: 'm', tag: 'v1' } },
  );
  t.match(
    all.find(({ type }) => type === 'branch.created'),
    { data: { workbook: book.id, branch: 'side' } },
  );
  t.equal(new Set(all.map((one) => one.id)).size, all.length);
  const found = await seen(book, id, ({ deliveries }) =>
    deliveries.every(({ state }) => state === 'delivered'),
  );
  t.equal(found.deliveries.length, all.length);
  t.notOk('secret' in found, 'the secret is told once');
  const listed = await book.ask('/webhooks');
  t.match(listed.json, { webhooks: [{ id, events, disabledAt: null }] });
  t.notMatch(listed.text, 'whsec_');
  t.equal((await book.ask(`/webhooks/${id}`, { method: 'DELETE' })).status, 204);
  const count = receiver.received.length;
  await book.set('A1', 9);
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(receiver.received.length, count, 'nothing is sent to what was removed');
});

t.test('what is not taken is tried again, given up in the end, and replayed', async (t) => {
  const clock = new MovingClock();
  const { environment } = clock;
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble(), environment });
  const receiver = await HookReceiver.start(t);
  const book = await Book.create(service);
  const { id, secret } = await hook(book, receiver.url);
  t.match(secret, /^whsec_[\w+/]{43}=$/);
  receiver.answers = [{ status: 429, retryAfter: '600' }, 302, 404, 503, 500, 500, 500, 500];
  await book.set('A1', 1);
  for (let attempt = 1; attempt < 8; attempt++) {
    const { deliveries } = await seen(book, id, (now) => now.deliveries[0]?.attempts === attempt);
    t.match(deliveries, [{ state: 'waiting', attempts: attempt, lastStatus: Number }]);
    t.equal(receiver.received.length, attempt, 'a redirect is not followed');
    if (attempt === 1) {
      const waited =
        Date.parse(String(deliveries[0]?.at)) / 1000 - Number(receiver.received[0]?.timestamp);
      t.ok(waited >= 600 && waited < 700, `what Retry-After asks for is obeyed: ${waited} s`);
    }
    clock.forward(attempt === 1 ? 700 : 40_000);
  }
  const ended = await seen(book, id, ({ disabledAt }) => disabledAt !== null);
  t.match(ended, { disabledBecause: /8 tries/, deliveries: [{ state: 'failed', attempts: 8 }] });
  await book.set('A1', 2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(receiver.received.length, 8, 'nothing is sent to one that is disabled');
  const replay = await book.ask(`/webhooks/${id}/replay`, { body: {} });
  t.match(replay, { status: 202, json: { replayed: 1, webhook: { id, disabledAt: null } } });
  const all = await receiver.count(10);
  const first = all.filter((one) => one.id === all[0]?.id);
  t.equal(first.length, 9, 'a delivery keeps its id');
  const missed = all.find((one) => one.id !== all[0]?.id);
  t.match(missed, { data: { firstSeq: 3, lastSeq: 3 } }, 'what it missed is told');
  const [told] = (await seen(book, id, () => true)).deliveries;
  const named = { deliveries: [String(told?.id)] };
  t.match(await book.ask(`/webhooks/${id}/replay`, { body: named }), { json: { replayed: 1 } });
  t.equal((await receiver.count(11))[10]?.id, told?.id);
  const since = { since: new Date(0).toISOString() };
  await seen(book, id, ({ deliveries }) => deliveries.every(({ state }) => state === 'delivered'));
  t.match(await book.ask(`/webhooks/${id}/replay`, { body: since }), { json: { replayed: 2 } });
  await receiver.count(13);
  receiver.answers = [410];
  await book.set('A1', 3);
  const gone = await seen(book, id, ({ disabledAt }) => disabledAt !== null);
  t.match(gone, { disabledBecause: /410/ }, 'one that says it is gone is believed');
});

t.test('deliveries come in order, one at a time, and rest where they are too many', async (t) => {
  const clock = new MovingClock();
  const { environment } = clock;
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble(), environment });
  const receiver = await HookReceiver.start(t);
  const book = await Book.create(service);
  const { id } = await hook(book, receiver.url);
  const isMade = (count: number) => seen(book, id, ({ deliveries }) => deliveries.length === count);
  const held: ((status: number) => void)[] = [];
  receiver.answers = [new Promise<number>((resolve) => held.push(resolve))];
  for (const number of [1, 2, 3]) {
    await book.set('A1', number);
    await isMade(number);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(receiver.received.length, 1, 'the next one waits for the answer');
  for (const answer of held) answer(204);
  const three = await receiver.count(3);
  t.same(
    three.map(({ data }) => data['firstSeq']),
    [2, 3, 4],
  );
  t.equal(receiver.mostAtOnce, 1);
  receiver.answers = [{ status: 429, retryAfter: '600' }];
  await book.set('A1', 4);
  await seen(book, id, ({ deliveries: [last] }) => last?.attempts === 1 && last.lastStatus === 429);
  await book.set('A1', 5);
  await isMade(5);
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(receiver.received.length, 4, 'nothing is sent to one that has too many');
  clock.forward(700);
  const all = await receiver.count(6);
  t.same(
    all.slice(3).map(({ data }) => data['firstSeq']),
    [5, 5, 6],
  );
});

t.test('a service that stops or is not there forgets nothing', async (t) => {
  const url = await createMigratedDatabase();
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: url,
    OBJECT_STORE_URL: `file:${folder}/objects`,
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
  };
  const first = await TestService.start(t, settings);
  const receiver = await HookReceiver.start(t);
  const book = await Book.create(first);
  const { secret } = await hook(book, receiver.url);
  for (let at = 0; at < 30; at++) await book.set('A1', at);
  await first.app.stop();
  await TestService.start(t, settings);
  const all = await receiver.until((got) => got.some(({ data }) => data['lastSeq'] === 31));
  const seqs = [...new Map(all.map((one) => [one.id, one])).values()].flatMap(({ data }) =>
    (data['operations'] as { seq: number }[]).map(({ seq }) => seq),
  );
  t.same(
    seqs.toSorted((a, b) => a - b),
    Array.from({ length: 30 }, (_, at) => at + 2),
  );
  t.ok(all.every((one) => isSigned(one, secret, Date.now())));
});

t.test('two processes make each delivery once, of merges and of standings, too', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: `file:${folder}/objects`,
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
    TLOG_ORIGIN: 'quire.test/log',
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    TLOG_MEMORY_DIR: 'off',
  };
  const services = [
    await TestService.start(t, settings, {}),
    await TestService.start(t, settings, {}),
  ] as const;
  const receiver = await HookReceiver.start(t);
  const book = await Book.create(services[0]);
  const events = ['operations.applied', 'merge.applied', 'workbook.archived', 'workbook.restored'];
  const { id } = await hook(book, receiver.url, { events });
  for (let at = 0; at < 40; at++) await book.at(services[at % 2 === 0 ? 0 : 1]).set('A1', at);
  await receiver.until((all) => all.some(({ data }) => data['lastSeq'] === 41));
  const seqs = receiver.received.flatMap(({ data }) =>
    (data['operations'] as { seq: number }[]).map(({ seq }) => seq),
  );
  t.same(
    seqs.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, at) => at + 2),
    'each operation is in one delivery, which came once',
  );
  await book.ask('/branches', { body: { name: 'side' } });
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'B1', input: 2 }] } }];
  await book.ask('/branches/side/ops', { body: { ops } });
  const made = await book.ask('/merges', { body: { source: 'side', target: 'main' } });
  const merge = (made.json as { id: string }).id;
  await book.ask(`/merges/${merge}/approve`, { body: {} });
  await receiver.until((all) => all.some(({ type }) => type === 'merge.applied'));
  await book.archive();
  await receiver.until((all) => all.some(({ type }) => type === 'workbook.archived'));
  await book.ask('/restore', { method: 'POST' });
  const all = await receiver.until((got) => got.some(({ type }) => type === 'workbook.restored'));
  t.match(
    all.find(({ type }) => type === 'merge.applied'),
    { data: { branch: 'main', seq: 42, merge } },
  );
  t.match(
    all.find(({ type }) => type === 'workbook.archived'),
    { data: { workbook: book.id } },
  );
  const told = await seen(book, id, ({ deliveries }) =>
    deliveries.every(({ state }) => state === 'delivered'),
  );
  t.equal(new Set(all.map((one) => one.id)).size, told.deliveries.length);
});

t.test('a webhook that cannot be is refused, and others do not see it', async (t) => {
  const service = await TestService.start(t);
  const owner = await service.registerClaimed();
  const book = await Book.create(service, { credential: owner });
  const bad: [object, string][] = [
    [{}, '/url'],
    [{ url: 'nonsense' }, '/url'],
    [{ url: 'ftp://example.com/' }, '/url'],
    [{ url: 'http://example.com/' }, '/url'],
    [{ url: 'https://a:b@example.com/' }, '/url'],
    [{ url: 'https://10.0.0.1/' }, '/url'],
    [{ url: 'https://169.254.169.254/latest/' }, '/url'],
    [{ url: 'https://[::1]/' }, '/url'],
    [{ url: 'https://localhost/' }, '/url'],
    [{ url: 'https://db.internal./' }, '/url'],
    [{ url: 'https://2130706433/' }, '/url'],
    [{ url: 'https://example.com/', events: [] }, '/events'],
    [{ url: 'https://example.com/', events: ['chat'] }, '/events/0'],
    [{ url: 'https://example.com/', secret: 'short' }, '/secret'],
    [{ url: 'https://example.com/', secret: 'whsec_AAAA' }, '/secret'],
  ];
  for (const [body, pointer] of bad) {
    const answer = await book.ask('/webhooks', { body });
    t.match(answer, { status: 400, json: { errors: [{ pointer }] } }, JSON.stringify(body));
  }
  t.match(await book.ask('/webhooks', { body: { url: 'https://example.com/', uri: 1 } }), {
    status: 400,
    json: { code: 'unknown_member' },
  });
  const { id } = await hook(book, 'https://example.com/');
  t.match(await book.ask(`/webhooks/${id}/replay`, { body: { deliveries: [] } }), { status: 400 });
  t.match(await book.ask(`/webhooks/${id}/replay`, { body: { since: 'x' } }), { status: 400 });
  t.equal((await book.ask('/webhooks/whk_1')).status, 404);
  const other = `whk_${'0'.repeat(26)}`;
  t.match(await book.ask(`/webhooks/${other}`), { status: 404, json: { hint: /webhooks/ } });
  t.equal((await book.ask(`/webhooks/${other}`, { method: 'DELETE' })).status, 404);
  t.equal((await book.ask(`/webhooks/${other}/replay`, { body: {} })).status, 404);
  const { credential, userId } = await claimedAgent(service.url);
  const path = `/v1/workbooks/${book.id}/webhooks`;
  t.equal((await service.request(path, { credential })).status, 404);
  const replay = `/v1/workbooks/${book.id}/webhooks/${id}/replay`;
  t.equal((await service.request(replay, { credential, body: {} })).status, 404);
  await book.ask(`/collaborators/${userId}`, { method: 'PUT', body: { role: 'editor' } });
  t.equal((await service.request(path, { credential })).status, 403, 'it is the owner’s');
  for (let count = 1; count < 10; count++) await hook(book, 'https://example.com/');
  t.match(await book.ask('/webhooks', { body: { url: 'https://example.com/' } }), {
    status: 409,
    json: { code: 'too_many_webhooks', hint: String },
  });
});
