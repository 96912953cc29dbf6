import { mock } from 'node:test';
import t, { type Test } from 'tap';

import type { SessionOptions } from '../../client/library/session-options.ts';
import { Session } from '../../client/library/session.ts';

/** A socket whose handshake nobody answers, or nothing after it. */
class SilentSocket extends EventTarget {
  static readonly made: SilentSocket[] = [];
  readonly sent: string[] = [];
  readyState = 0;
  isClosed = false;

  constructor() {
    super();
    SilentSocket.made.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  tell(frame: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  send(frame: string): void {
    this.sent.push(frame);
  }

  close(): void {
    this.isClosed = true;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens a session whose time passes by `mock.timers` alone. */
async function opened(t: Test, options: Partial<SessionOptions> = {}): Promise<Session> {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  SilentSocket.made.length = 0;
  const calls = { url: 'http://quire.example', key: 'wbk_test', ask: () => Promise.resolve({}) };
  const place = { id: 'wb_1', branch: 'main' };
  const session = await Session.open(calls, place, { WebSocket: SilentSocket, ...options });
  await turn();
  return session;
}

t.test('a handshake that nobody answers is given up, and another one begins', async (t) => {
  const session = await opened(t);
  mock.timers.tick(19_000);
  t.equal(session.state, 'connecting');
  mock.timers.tick(1_000);
  t.equal(session.state, 'offline', 'its user is told after 20 seconds');
  t.equal(SilentSocket.made[0]?.isClosed, true);
  mock.timers.tick(10_000);
  await turn();
  t.equal(SilentSocket.made.length, 2, 'another one begins');
  t.equal(session.state, 'connecting');
  session.close();
});

t.test('a credential that nobody gives is waited for as long', async (t) => {
  const waiting: ((credential: string) => void)[] = [];
  const session = await opened(t, {
    authorize: () => new Promise((resolve) => waiting.push(resolve)),
  });
  mock.timers.tick(20_000);
  t.equal(session.state, 'offline');
  mock.timers.tick(10_000);
  await turn();
  t.equal(waiting.length, 2, 'it is asked for again');
  waiting[0]?.('late');
  await turn();
  t.equal(SilentSocket.made.length, 0, 'what comes too late opens nothing');
  waiting[1]?.('in time');
  await turn();
  t.equal(SilentSocket.made.length, 1);
  session.close();
});

t.test('so is a greeting, and one that is answered is followed by heartbeats', async (t) => {
  const session = await opened(t);
  mock.timers.tick(19_000);
  SilentSocket.made[0]?.open();
  mock.timers.tick(19_000);
  t.equal(session.state, 'connecting', 'it has a time of its own');
  t.equal(SilentSocket.made[0]?.sent.length, 1);
  mock.timers.tick(1_000);
  t.equal(session.state, 'offline', 'a greeting without an answer is given up');
  t.equal(SilentSocket.made[0]?.isClosed, true);
  mock.timers.tick(10_000);
  await turn();
  const [, second] = SilentSocket.made;
  second?.open();
  second?.tell({ kind: 'presence_snapshot', head: 0, replay: null, sessionKey: 'key' });
  t.equal(session.state, 'live');
  mock.timers.tick(25_000);
  t.match(second?.sent.at(-1), /"submit_ops"/u, 'a heartbeat follows');
  mock.timers.tick(10_000);
  t.equal(session.state, 'offline', 'and is waited for');
  session.close();
});

t.test('a check asks whether the service answers, or connects at once', async (t) => {
  const session = await opened(t);
  const [first] = SilentSocket.made;
  first?.open();
  first?.tell({ kind: 'presence_snapshot', head: 0, replay: null, sessionKey: 'key' });
  session.check();
  mock.timers.tick(5_000);
  session.check();
  t.equal(first?.sent.filter((text) => text.includes('submit_ops')).length, 1, 'one at a time');
  mock.timers.tick(5_000);
  t.equal(session.state, 'offline', 'after ten seconds, however often it is checked');
  session.check();
  await turn();
  t.equal(SilentSocket.made.length, 2, 'without the wait before the next try');
  session.close();
});
