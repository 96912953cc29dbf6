import t from 'tap';

import type { Commit } from '../../../server/branches/commit.ts';
import type { JournalRecord } from '../../../server/branches/record.ts';
import {
  OpStream,
  type StreamSink,
  type StreamSource,
} from '../../../server/collaboration/op-stream.ts';
import { pressureOf, relieve } from '../../../server/collaboration/pressure.ts';
import { StreamEntry } from '../../../server/collaboration/ring.ts';
import { Room } from '../../../server/collaboration/room.ts';
import { SocketCaps } from '../../../server/collaboration/socket-caps.ts';
import { socketCaps } from '../../../server/collaboration/limits.ts';
import type { Presence } from '../../../server/collaboration/presence.ts';
import type { Seat } from '../../../server/collaboration/seat.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import { memoryInUse } from '../../support/memory-in-use.ts';

const address = { workbookId: 'wb_1', branchNo: 1 };

function record(seq: number): JournalRecord {
  const payload = { sheet: 'Sheet1', cells: [] };
  const rest = { id: null, writer: 'w', principalId: 'agt_1', resolved: {}, at: 0 };
  return { seq, kind: 'cells.set', payload, ...rest };
}

function commitOf(firstSeq: number, lastSeq: number, more: Partial<Commit> = {}): Commit {
  const records = Array.from({ length: lastSeq - firstSeq + 1 }, (_, at) => record(firstSeq + at));
  return { ...address, firstSeq, lastSeq, records, mutations: [], ...more };
}

/** A room with one member that notes what it was sent. */
function world({ confirm }: { confirm: () => Promise<void> }) {
  const journal: JournalRecord[] = [];
  const room = new Room(address, 'main', {
    environment: realEnvironment,
    report: (step, error) => {
      throw new Error(step, { cause: error });
    },
    confirm,
    presenceNews: () => undefined,
    values: async () => undefined,
    places: async () => ({ seq: 0, sheets: [] }),
    history: async (_address, { after }) => {
      const records = journal.filter(({ seq }) => seq > after);
      return { records, head: journal.length, next: null };
    },
  });
  const sent: Sent = [];
  const stream = streamFrom(room, sent);
  room.settleHead(0);
  room.enter({
    stream,
    follow: (frames) => frames.every((frame) => stream.pass(frame)),
    presence: { value: {} } as Presence,
    wantsPresence: false,
    isArchived: false,
    send: () => undefined,
    wants: { cell_activity: 'none' },
    sendLossy: () => true,
    tellLeft: () => undefined,
    end: () => undefined,
  });
  return { room, sent, journal };
}

type Sent = Record<string, unknown>[];

/** A stream that notes what it sends. */
function streamFrom(source: StreamSource, sent: Sent): OpStream {
  const sink: StreamSink = {
    isFull: false,
    send: (frame) => sent.push(JSON.parse(frame.bytes('json').toString()) as Sent[number]),
    together: (all) => all(),
    acknowledge: () => undefined,
    gap: (reason, fromSeq, toSeq) => sent.push({ kind: 'gap', reason, fromSeq, toSeq }),
    now: () => 0,
  };
  return new OpStream(0, { ops: true, hasOwnOps: true }, { source, sink });
}

const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

t.test('what another process wrote is sent once the store confirms it', async (t) => {
  let release = (): void => undefined;
  let count = 0;
  const { room, sent, journal } = world({
    confirm: () => {
      count++;
      return new Promise((resolve) => (release = resolve));
    },
  });
  journal.push(record(1), record(2), record(3));
  room.hear(commitOf(1, 2, { isForeign: true }));
  await rest(30);
  t.same(sent, [], 'it can be seen, and is not safe yet');
  room.hear(commitOf(3, 3));
  await rest(30);
  t.same(sent, [], 'nor is what follows it sent before it');
  release();
  await rest(30);
  release();
  await rest(30);
  t.equal(count, 2, 'what came meanwhile is confirmed by itself');
  t.same(
    sent.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]),
    [
      [1, 2],
      [3, 3],
    ],
  );
});

t.test('a branch that has lost operations is told of as reset', async (t) => {
  const { room, sent } = world({ confirm: () => Promise.resolve() });
  room.hear(commitOf(1, 4));
  await rest(30);
  room.reset(2);
  room.hear(commitOf(3, 3));
  await rest(30);
  t.match(sent, [
    { kind: 'op_applied', firstSeq: 1, lastSeq: 4 },
    { kind: 'gap', reason: 'branch_reset', fromSeq: 1, toSeq: 2 },
    { kind: 'op_applied', firstSeq: 3, lastSeq: 3 },
  ]);
});

t.test('a backlog is let go once it was sent', async (t) => {
  const { sent, stream, backlog } = released();
  t.match(sent, [{ kind: 'op_applied', firstSeq: 1, lastSeq: 3 }]);
  await memoryInUse();
  t.equal(backlog.deref(), undefined);
  t.equal(stream.sentSeq, 3);
});

/** A stream of a socket that came back, after it was sent what it had missed. */
function released() {
  const sent: Sent = [];
  const stream = streamFrom({ head: 3, between: () => undefined }, sent);
  const entries = [1, 2, 3].map((seq) => new StreamEntry(record(seq)));
  stream.release(entries);
  return { stream, sent, backlog: new WeakRef(entries) };
}

t.test('those for whom the most waits are cut off first, and no more than need be', async (t) => {
  const cut: number[] = [];
  const sockets = [5, 50, 20, 1].map((waitingBytes) => ({
    outlet: { waitingBytes, cut: () => void cut.push(waitingBytes) },
  }));
  t.equal(pressureOf(sockets), 76);
  t.equal(relieve(new Set(sockets), 76), 0);
  t.equal(relieve(new Set(sockets), 25), 2);
  t.same(cut, [50, 20]);
});

t.test('branches, credentials and accounts have so many sockets each', async (t) => {
  const seat = (more: Partial<Seat>): Seat => {
    const principal = { userId: 'agt_1' } as Seat['principal'];
    const own = { workbookId: 'wb_1', branch: 'main', address, principal, ownerId: 'agt_1' };
    return { ...own, credentialKey: 'k', ...more };
  };
  const cases: [number, (at: number) => Partial<Seat>][] = [
    [socketCaps.perCredential, () => ({})],
    [
      socketCaps.perAccount,
      (at) => ({ credentialKey: String(at), address: { ...address, branchNo: at } }),
    ],
    [socketCaps.perBranch, (at) => ({ credentialKey: String(at), ownerId: String(at) })],
  ];
  for (const [most, variation] of cases) {
    const caps = new SocketCaps('on');
    for (let at = 0; at < most; at++) caps.enter(seat(variation(at)));
    t.throws(() => caps.enter(seat(variation(most))), { code: 'too_many_sockets' }, String(most));
    caps.leave(seat(variation(0)));
    t.doesNotThrow(() => caps.enter(seat(variation(0))));
  }
});
