import t from 'tap';

import { lifeLimits } from '../../../server/collaboration/limits.ts';
import { Session, type SessionHost } from '../../../server/collaboration/session.ts';
import type { Wire } from '../../../server/model/socket.ts';

/** A socket of a process whose clock a test moves, and the codes that it was closed with. */
function openSocket() {
  const clock = { now: 0 };
  const codes: number[] = [];
  const host: SessionHost = {
    environment: {
      now: () => clock.now,
      elapsed: () => clock.now,
      random: (count) => new Uint8Array(count),
      after: () => () => undefined,
    },
    isRated: false,
    greet: () => new Promise(() => undefined),
    submit: () => new Promise(() => undefined),
    recheck: () => undefined,
    left: () => undefined,
    report: (_, error) => t.fail(String(error)),
  };
  const principal = {
    userId: 'agt_1',
    kind: 'anonymous',
    scopes: [],
    credentialId: 'c',
    namespace: 'n',
  } as const;
  const address = { workbookId: 'wb_1', branchNo: 1 };
  const own = { ownerId: 'agt_1', credentialKey: 'key', principal };
  const seat = { workbookId: 'wb_1', branch: 'main', address, ...own };
  const session = new Session(host, seat, 'json');
  const wire: Wire = {
    send: () => 1,
    cork: (send: () => void) => send(),
    getBufferedAmount: () => 0,
    end: (code: number) => void codes.push(code),
    close: () => undefined,
  };
  session.opened(wire);
  return { clock, codes, session };
}

t.test('a hello that waited while the process slept counts', (t) => {
  const { clock, codes, session } = openSocket();
  clock.now = 5 * lifeLimits.helloMilliseconds;
  session.look(clock.now);
  session.received(Buffer.from('{"kind":"hello","protocol":1}'), false);
  session.look(clock.now + 1_000);
  t.same(codes, []);
  t.end();
});

t.test('a socket that says nothing is closed', (t) => {
  const { clock, codes, session } = openSocket();
  session.look(lifeLimits.helloMilliseconds - 1);
  for (const more of [0, 1_000]) {
    clock.now = lifeLimits.helloMilliseconds + more;
    session.look(clock.now);
  }
  t.same(codes, [4408]);
  t.end();
});
