import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { WebSocket } from 'ws';

import { route } from '../../../server/http/route.ts';
import type { SocketHandler } from '../../../server/model/socket.ts';
import { startEdge, testPrincipal } from '../../support/edge-server.ts';

/**
 * Memory with 16 in every byte, which takes the places that a handshake has left. The library once
 * read there whether a new websocket is to be closed.
 */
function fillFreePlaces(kept: Buffer[]): void {
  for (let bytes = 8; bytes <= 320; bytes += 8) {
    for (let count = 0; count < 10; count++) {
      const buffer = Buffer.allocUnsafeSlow(bytes).fill(16);
      if (count % 2 === 0) kept.push(buffer);
    }
  }
}

t.test('a handshake that was waited for leads to a websocket that stays', async (t) => {
  const kept: Buffer[] = [];
  const closed: number[] = [];
  const makeHandler = (): SocketHandler => {
    let send: (frame: Uint8Array) => void = () => undefined;
    return {
      opened: (wire) => {
        send = (frame) => wire.send(frame, false);
        fillFreePlaces(kept);
      },
      received: (frame) => send(frame),
      drained: () => undefined,
      closed: (code) => void closed.push(code),
    };
  };
  const shown = { principal: testPrincipal, credentialKey: 'key', boundTo: undefined };
  const socketRoute = route({
    host: 'api',
    method: 'GET',
    path: '/v1/ws',
    scope: 'read',
    tag: 'Test',
    summary: 'test',
    responses: { 101: { description: 'a websocket' } },
    socket: {
      authenticate: async () => {
        await setImmediate();
        return shown;
      },
      agree: () => ({ handler: makeHandler(), protocol: undefined }),
    },
    handler: () => ({ value: null }),
  });
  const { url } = await startEdge(t, [socketRoute]);
  for (let round = 0; round < 30; round++) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`);
    await once(socket, 'open');
    socket.send('here');
    const [answer] = (await Promise.race([once(socket, 'message'), once(socket, 'close')])) as [
      Buffer,
    ];
    t.equal(answer.toString(), 'here', 'the service answers');
    socket.close();
  }
  t.notMatch(closed, [1006], 'the service closes none');
});
