import t from 'tap';

import { Book } from '../support/book.ts';
import { caseCount } from '../support/case-count.ts';
import { LiveClient, setCell } from '../support/live-client.ts';
import { encodeFrame, RawSocket, type RawFrame } from '../support/raw-socket.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { TestService } from '../support/test-service.ts';
import { testSeed } from '../support/test-seed.ts';

/** Frames that no client would send: the service goes on, and nothing comes of them. */

const count = caseCount(150);
const random = new SeededRandom(testSeed);

function pick<Item>(items: readonly Item[]): Item {
  const item = items[random.between(0, items.length - 1)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

const words = [
  'kind',
  'hello',
  'submit_ops',
  'presence_update',
  'ops',
  'protocol',
  'lastSeq',
  'want',
];

/** Any JSON, of words that the protocol has. */
function anyValue(depth: number): unknown {
  const kind = random.between(0, depth > 0 ? 7 : 5);
  if (kind === 0) return pick([null, true, false]);
  if (kind === 1) return random.between(-5, 5);
  if (kind === 2) return pick([1e308, -0, 2 ** 53, 0.1, -1]);
  if (kind <= 5) return pick([...words, '', 'κόσμε', 'x'.repeat(300), 'Sheet1', 'A1:B2', '=1+']);
  const size = random.between(0, 4);
  if (kind === 6) return Array.from({ length: size }, () => anyValue(depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [pick(words), anyValue(depth - 1)]));
}

/** A message that is nearly one of the protocol. */
function anyMessage(): string {
  const members = {
    kind: pick(['hello', 'submit_ops', 'presence_update', 'chat', 'ack']),
    protocol: pick([1, 1, 1, 2, 'one']),
    submission: pick(['s', '', anyValue(0)]),
    baseSeq: pick([0, 1, 99, -1, anyValue(1)]),
    ops: pick([[], anyValue(2), [anyValue(2)], [{ kind: 'cells.set', payload: anyValue(3) }]]),
    presence: anyValue(3),
    lastSeq: pick([null, 0, 1, 1e9, anyValue(0)]),
  };
  const kept = Object.entries(members).filter(() => random.next() < 0.8);
  return JSON.stringify(Object.fromEntries(kept));
}

/** The same with some bytes that are others. */
function anyBytes(): Buffer {
  const bytes = Buffer.from(anyMessage());
  const changes = random.next() < 0.5 ? 0 : random.between(1, 4);
  for (let change = 0; change < changes && bytes.length > 0; change++) {
    bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
  }
  return bytes.subarray(0, random.next() < 0.8 ? bytes.length : random.between(0, bytes.length));
}

function anyFrame(): RawFrame {
  const isPlain = random.next() < 0.7;
  if (isPlain) return { opcode: 1, payload: anyBytes() };
  return {
    opcode: random.between(0, 15),
    payload: anyBytes(),
    fin: random.next() < 0.7,
    reserved: random.next() < 0.7 ? 0 : random.between(1, 7),
    isMasked: random.next() < 0.9,
    lengthBytes: 8,
  };
}

t.test('whatever is sent, the service goes on', async (t) => {
  t.comment(`seed ${testSeed}, ${count} sockets`);
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const witness = await LiveClient.join(book);
  const hello = encodeFrame({ opcode: 1, payload: '{"kind":"hello","protocol":1}' });
  for (let round = 0; round < count; round++) {
    const socket = await RawSocket.open(book);
    if (random.next() < 0.8) await socket.write(hello);
    const frames = Array.from({ length: random.between(1, 12) }, anyFrame);
    await socket.write(Buffer.concat(frames.map(encodeFrame)), random.between(1, 5));
    if (random.next() < 0.5) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    if (round % 10 === 0) await witness.settled();
  }
  const ack = await witness.submit([setCell('A1', 'still here')], { baseSeq: 1 });
  t.match(ack, { results: [{ status: /applied|rebased/ }] });
  const state = await book.ask('/branches/main/state');
  t.equal(state.status, 200, state.text);
  t.match((await book.ask('/verify', { method: 'POST' })).json, { ok: true });
  const end = Date.now() + 5_000;
  let left = '';
  while (left !== '1' && Date.now() < end) {
    const { text } = await service.request('/metrics');
    left = /^quire_sockets (\d+)$/m.exec(text)?.[1] ?? '';
  }
  t.equal(left, '1', 'none of them is held');
});
