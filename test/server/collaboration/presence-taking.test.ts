import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';

import { takePresence } from '../../../server/collaboration/presence-taking.ts';
import { Room } from '../../../server/collaboration/room.ts';
import { Session, type SessionHost } from '../../../server/collaboration/session.ts';
import { MovingClock } from '../../support/moving-clock.ts';

/** Sockets of one client that come and go faster than their hellos are answered. */

const address = { workbookId: 'wb_1', branchNo: 1 };
const principal = {
  userId: 'agt_1',
  kind: 'anonymous',
  scopes: [],
  credentialId: 'c',
  namespace: 'n',
} as const;
const own = { ownerId: 'agt_1', credentialKey: 'key', principal };
const seat = { workbookId: 'wb_1', branch: 'main', address, ...own };

function makeRoom() {
  const { environment } = new MovingClock();
  const report = (_: string, error: unknown): void => void t.fail(String(error));
  const room = new Room(address, 'main', {
    environment,
    report,
    confirm: () => Promise.resolve(),
    presenceNews: () => undefined,
    values: async () => undefined,
    places: async () => ({ seq: 0, sheets: [] }),
    history: async () => ({ records: [], head: 0, next: null }),
  });
  room.settleHead(0);
  const waiting: (() => void)[] = [];
  const host: SessionHost = {
    environment,
    isRated: false,
    greet: async (session, { sessionKey: key }) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      session.join(room, 0);
      const took = (): void => void t.fail('nobody is elsewhere');
      const presence = takePresence({ room, session, name: 'ann', key, took }, environment);
      const start = { kind: 'live' } as const;
      return { room, head: 0, start, presence, snapshot: () => ({ kind: 'presence_snapshot' }) };
    },
    submit: () => new Promise(() => undefined),
    recheck: () => undefined,
    left: () => undefined,
    report,
  };
  const codes: string[] = [];
  const open = (name: string) => {
    const session = new Session(host, seat, 'json');
    session.opened({
      send: () => 1,
      cork: (send: () => void) => send(),
      getBufferedAmount: () => 0,
      end: (code: number) => void codes.push(`${name} ${code}`),
      close: () => undefined,
    });
    return session;
  };
  const hello = async (session: Session, sessionKey: string | null): Promise<() => void> => {
    session.received(
      Buffer.from(JSON.stringify({ kind: 'hello', protocol: 1, sessionKey })),
      false,
    );
    while (waiting.length === 0) await turn();
    return waiting.pop() ?? (() => undefined);
  };
  const answer = async (release: () => void): Promise<void> => {
    release();
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  return { room, codes, open, hello, answer };
}

t.test('a socket that is closed already ends no other one of its client', async (t) => {
  const { room, codes, open, hello, answer } = makeRoom();
  const first = open('first');
  await answer(await hello(first, null));
  const { key, id } = first.presence;
  const late = open('late');
  const releaseLate = await hello(late, key);
  late.closed();
  const back = open('back');
  await answer(await hello(back, key));
  t.equal(back.presence.id, id);
  t.same(codes, ['first 4409'], 'the one that the client went on from');
  await answer(releaseLate);
  t.same(codes, ['first 4409'], 'the newer one stays');
  t.ok(room.members.has(back));

  const gone = open('gone');
  const releaseGone = await hello(gone, null);
  gone.closed();
  await answer(releaseGone);
  t.equal(room.board.list.size, 1, 'nobody sees who has gone before the answer');
  room.stop();
});
