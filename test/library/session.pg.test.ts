import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import type { Test } from 'tap';
import { WebSocket } from 'ws';

import { op, Quire, type Workbook } from '../../client/library/quire.ts';
import { TestService } from '../support/test-service.ts';

/** A way to the service that can be cut. */
class Cable {
  readonly #sockets = new Set<Socket>();
  isDown = false;
  url = '';

  static async to(t: Pick<Test, 'teardown'>, address: string): Promise<Cable> {
    const { port } = new URL(address);
    const cable = new Cable();
    const server = createServer((near) => {
      if (cable.isDown) {
        near.destroy();
        return;
      }
      const far = connect(Number(port), '127.0.0.1');
      for (const socket of [near, far]) {
        cable.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => cable.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => {
      cable.cut();
      server.close();
    });
    cable.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return cable;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function begin(t: Test): Promise<{ near: Workbook; url: string; cable: Cable }> {
  const { url } = await TestService.start(t);
  const quire = await Quire.register({ url });
  const near = await quire.create({ sheets: [{ name: 'Plan' }] });
  const cable = await Cable.to(t, url);
  return { near, url, cable };
}

/** The websocket of npm's ws, over the cable, which names the service as its host. */
function over(cable: Cable): new (address: string, protocols: string[]) => object {
  return class extends WebSocket {
    constructor(address: string, protocols: string[]) {
      const { host, pathname, search } = new URL(address);
      super(`${cable.url.replace('http', 'ws')}${pathname}${search}`, protocols, {
        headers: { host },
      });
    }
  };
}

function until(check: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = Date.now();
    const look = (): void => {
      if (check()) resolve();
      else if (Date.now() - start > 15_000) reject(new Error('it does not come'));
      else setTimeout(look, 10);
    };
    look();
  });
}

const cell = (a1: string, input: number) => op.cellsSet({ sheet: 'Plan', cells: [{ a1, input }] });

t.test('two sessions see what either submits, in one order', async (t) => {
  const { near, cable } = await begin(t);
  const first = await near.live({ writer: 'ann', WebSocket: over(cable) });
  const second = await near.live({ writer: 'bob', WebSocket: over(cable) });
  const seen: number[] = [];
  second.on('applied', ({ ops }) => seen.push(...ops.map(({ seq }) => seq)));
  await until(() => first.state === 'live' && second.state === 'live');
  const answer = await first.submit([cell('A1', 1)]);
  t.match(answer, { status: 'applied', results: [{ status: 'applied' }] });
  await until(() => seen.length > 0);
  t.same(seen, [answer.firstSeq]);
  t.equal(second.seq, answer.lastSeq);
  const wrong = await second.submit([op.sheetDelete({ sheet: 'None' })]);
  t.match(wrong, { status: 'rejected', results: [{ error: { code: 'sheet_not_found' } }] });
  first.close();
  t.equal(first.state, 'closed');
  await t.rejects(first.submit([cell('A1', 2)]), { code: 'closed' });
  second.close();
});

t.test('a presence holds over lost connections, and is told as soon as there is one', async (t) => {
  const { near, cable } = await begin(t);
  const presence = { cell: 'A1', label: 'first' };
  const session = await near.live({ writer: 'ann', presence, WebSocket: over(cable) });
  session.present({ label: 'early' });
  const other = await near.live({ writer: 'bob', WebSocket: over(cable) });
  let shown: unknown;
  other.on('presence', ({ peers }) => {
    if (peers !== undefined)
      [shown] = (peers as { presence: unknown }[]).map((one) => one.presence);
  });
  let looks = 0;
  const isShown = (wanted: object): Promise<void> =>
    until(() => {
      if (looks++ % 10 === 0) other.refresh();
      return isDeepStrictEqual(shown, wanted);
    });
  await isShown({ cell: 'A1', label: 'early' });
  session.present({ cell: 'B2', label: null });
  await isShown({ cell: 'B2' });
  cable.cut();
  session.present({ editing: { cell: 'B2' } });
  await isShown({ cell: 'B2', editing: { cell: 'B2' } });
  session.close();
  other.close();
});

t.test('what is submitted without a connection is applied once, when there is one', async (t) => {
  const { near, cable } = await begin(t);
  const states: string[] = [];
  const session = await near.live({ writer: 'ann', WebSocket: over(cable) });
  session.on('state', (state) => states.push(state));
  await until(() => session.state === 'live');
  cable.isDown = true;
  cable.cut();
  await until(() => session.state === 'offline');
  const answers = [1, 2, 3].map((row) => session.submit([cell(`A${row}`, row)]));
  t.equal(session.pending.length, 3);
  const others = await near.set('Plan!B1', 9);
  cable.isDown = false;
  for (const { status } of await Promise.all(answers)) t.equal(status, 'applied');
  t.match((await near.read('Plan!A1:B3')).rows, [
    [1, 9],
    [2, null],
    [3, null],
  ]);
  t.equal((await near.state()).head, (others.lastSeq ?? 0) + 3);
  t.same(session.pending, []);
  t.ok(states.includes('offline') && states.includes('connecting'), states.join(' '));
  session.close();
});

t.test('sockets that are cut again and again lose nothing and repeat nothing', async (t) => {
  const { near, cable } = await begin(t);
  const start = (await near.state()).head;
  const session = await near.live({ writer: 'ann', lastSeq: start, WebSocket: over(cable) });
  const told: number[] = [];
  session.on('applied', ({ ops }) => told.push(...ops.map(({ seq }) => seq)));
  const count = 120;
  const answers: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    answers.push(session.submit([cell(`A${at + 1}`, at)]));
    if (at % 20 === 19) cable.cut();
    if (at % 10 === 0) await near.set(`Plan!B${at + 1}`, at);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(answers);
  const ops = await near.ops({ after: start }).all();
  t.equal(ops.filter(({ writer }) => writer === 'ann').length, count);
  t.equal(ops.length, count + count / 10);
  await until(() => session.seq === ops.at(-1)?.seq);
  const others = ops.filter(({ writer }) => writer !== 'ann').map(({ seq }) => seq);
  t.same([...new Set(told)], told, 'nothing was told twice');
  t.ok(
    others.every((seq) => told.includes(seq)),
    'and nothing was left out',
  );
  session.close();
});

t.test('a storage keeps what is unanswered over a restart', async (t) => {
  const { near, cable } = await begin(t);
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
    removeItem: (name: string) => kept.delete(name),
  };
  cable.isDown = true;
  const lost = await near.live({ writer: 'ann', storage, WebSocket: over(cable) });
  const answer = lost.submit([cell('A1', 7)]);
  await until(() => kept.size === 1);
  lost.close();
  await t.rejects(answer, { code: 'closed' });
  t.equal(kept.size, 1);
  cable.isDown = false;
  const found = await near.live({ writer: 'ann', storage, WebSocket: over(cable) });
  await until(() => kept.size === 0);
  t.match((await near.read('Plan!A1')).rows, [[7]]);
  found.close();
});

t.test('operations of a history that is not there are held until somebody says so', async (t) => {
  const { near, cable } = await begin(t);
  const session = await near.live({ writer: 'ann', lastSeq: 99, WebSocket: over(cable) });
  const reasons: string[] = [];
  session.on('gap', ({ reason }) => reasons.push(reason));
  const answer = session.submit([cell('A1', 1)]);
  await until(() => reasons.length > 0);
  t.same(reasons, ['ahead']);
  t.equal(session.pending.length, 1, 'nothing was sent before the reason was known');
  session.offerAgain();
  t.match(await answer, { results: [{ status: 'applied' }] });
  session.close();
});

t.test('a session that cannot be says why', async (t) => {
  const { near, url, cable } = await begin(t);
  const wrong = new Quire({ url, key: 'wbk_live_wrong' });
  const session = await wrong.open(near.id).live({ WebSocket: over(cable) });
  const answer = session.submit([cell('A1', 1)]);
  await t.rejects(answer, { name: 'Problem', status: 401 });
  t.equal(session.state, 'closed');
});
