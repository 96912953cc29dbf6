import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';

import { growthIn, type Figures } from './figures.ts';
import { PatientDoor } from './patient-door.ts';

function samples(figure: keyof Figures, valueAt: (at: number) => number): Figures[] {
  const bytes = { heldBytes: 80e6, residentBytes: 200e6 };
  const still = { ...bytes, handles: 40, sockets: 100, rooms: 10, loopSeconds: 0.01 };
  return Array.from({ length: 90 }, (_, at) => ({ ...still, [figure]: valueAt(at) }));
}

t.test('a leak is told from garbage that waits', async (t) => {
  t.same(growthIn(samples('heldBytes', (at) => 80e6 + (at % 7) * 20e6)), []);
  t.same(growthIn(samples('heldBytes', (at) => 80e6 + Math.min(at, 25) * 2e6)), [], 'warming up');
  t.equal(growthIn(samples('heldBytes', (at) => 80e6 + at * 1e6)).length, 1);
  t.equal(growthIn(samples('handles', (at) => 40 + at)).length, 1);
});

t.test('who is asked to come back does', async (t) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    const isBusy = ++asked < 3;
    response.writeHead(isBusy ? 503 : 201, isBusy ? { 'retry-after': '0' } : {}).end();
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await new PatientDoor(`http://127.0.0.1:${port}`).request('/', { body: {} });
  t.match({ asked, status: answer.status }, { asked: 3, status: 201 });
});
