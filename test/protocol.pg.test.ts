import { readFile } from 'node:fs/promises';
import t from 'tap';

import { Book } from './support/book.ts';
import { EventClient } from './support/event-client.ts';
import { LiveClient, type LiveMessage } from './support/live-client.ts';
import { TestService } from './support/test-service.ts';

/** The conversation of docs/protocol.md goes as the page shows it. */

const text = await readFile(
  new URL('docs/protocol.md', import.meta.resolve('#package.json')),
  'utf8',
);

interface Shown {
  readonly from: string;
  readonly message: LiveMessage;
}

/** The examples in their order, each with who sends it. */
function readExamples(markdown: string): Shown[] {
  const blocks = markdown.matchAll(/```json (you|service)\n([^]*?)```/g);
  return [...blocks].map(([, from = '', body = '']) => {
    return { from, message: JSON.parse(body) as LiveMessage };
  });
}

/** A shown message with its elisions turned into patterns. */
function patternOf(shown: unknown): unknown {
  if (typeof shown === 'string' && shown.includes('…')) {
    const parts = shown.split('…').map((part) => part.replaceAll(/[^\w ]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`);
  }
  if (Array.isArray(shown)) return shown.map(patternOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, patternOf(value)]));
}

const kinds = [
  'hello',
  'presence_update',
  'submit_ops',
  'presence_snapshot',
  'presence_changed',
  'presence_left',
  'op_applied',
  'ack',
  'cell_activity',
  'gap',
];

t.test('every message of the protocol is shown, and is sent as it is shown', async (t) => {
  const examples = readExamples(text);
  const shownKinds = new Set(examples.map(({ message }) => message.kind));
  t.same([...shownKinds].toSorted(), kinds.toSorted());
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const you = await LiveClient.open(book);
  let bob: LiveClient | undefined;
  const used = new Set<LiveMessage>();
  for (const { from, message } of examples) {
    if (from === 'you') {
      you.send(message);
      continue;
    }
    if (message.kind === 'op_applied') {
      const writer = await LiveClient.join(book, { hello: { writer: 'bob' } });
      const { ops } = message as LiveMessage & {
        ops: { id: string; kind: string; payload: object }[];
      };
      await writer.submit(ops.map(({ id, kind, payload }) => ({ id, kind, payload })));
      writer.close();
      await writer.closed;
    }
    if (message.kind === 'presence_changed') {
      bob = await LiveClient.join(book, { hello: { presence: { cell: 'C3' } } });
    }
    if (message.kind === 'presence_left') bob?.close();
    const isOfKind = (sent: LiveMessage): boolean => sent.kind === message.kind;
    const found = await take(you, used, (sent) => isOfKind(sent) && isAboutBob(sent));
    if (message.kind === 'presence_changed') {
      const [shown] = message['changes'] as Change[];
      t.match(changeOfBob(found), patternOf(shown), message.kind);
    } else t.match(found, patternOf(message), message.kind);
  }
});

interface Change {
  readonly presence: { readonly cell?: string };
}

/** News of others may come between, and kinds that do not depend on each other in any order. */
async function take(
  client: LiveClient,
  used: Set<LiveMessage>,
  wanted: (message: LiveMessage) => boolean,
): Promise<LiveMessage> {
  for (;;) {
    const found = client.messages.find((message) => !used.has(message) && wanted(message));
    if (found) {
      used.add(found);
      return found;
    }
    await client.find(() => true);
  }
}

function isAboutBob(sent: LiveMessage): boolean {
  return sent.kind !== 'presence_changed' || changeOfBob(sent) !== undefined;
}

function changeOfBob({ changes }: LiveMessage): Change | undefined {
  return (changes as Change[]).find(({ presence }) => presence.cell === 'C3');
}

/** The events that the page shows, in their order. */
function readEvents(markdown: string): { name: string; id: string | undefined; data: unknown }[] {
  const [, block = ''] = /```text events\n([^]*?)```/.exec(markdown) ?? [];
  const parts = block.trim().split('\n\n');
  return parts.flatMap((part) => {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, 'mu').exec(part)?.[1];
    const data = field('data');
    if (data === undefined) return [];
    return [{ name: field('event') ?? '', id: field('id'), data: JSON.parse(data) as unknown }];
  });
}

t.test('server-sent events come as the page shows them', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const client = await EventClient.open(book, { query: '?after=1' });
  await client.next('start');
  const payload = { sheet: 'Sheet1', cells: [{ a1: 'A1', input: 'hi' }] };
  const ops = [{ id: 'bob-1', kind: 'cells.set', payload }];
  await book.ask('/branches/main/ops', { body: { ops, writer: 'bob' } });
  await client.next('cell_activity');
  await service.request('/agent/auth/revoke', { credential: book.credential, body: {} });
  await client.ended;
  const shown = readEvents(text);
  t.equal(client.events.length, shown.length);
  for (const [at, { name, id, data }] of shown.entries()) {
    const sent = client.events[at];
    t.equal(sent?.name, name);
    if (id !== undefined) t.equal(sent?.id, id);
    t.match(sent?.data, patternOf(data), name);
    t.same(Object.keys(sent?.data ?? {}), Object.keys(data as object), 'with these members');
  }
});
