import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { processSettings } from '../support/process-settings.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Runs long: each question to the database takes a fifth of a second. */

t.setTimeout(120_000);

const roundTripMilliseconds = 200;
const tries = 6;

/** Puts a distance between a database and its clients; returns the URL beyond it. */
async function farFrom(t: Test, url: string): Promise<string> {
  const near = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(near.port), near.hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from.setNoDelay());
      const later = (act: () => void) => setTimeout(act, roundTripMilliseconds / 2).unref();
      from.on('data', (bytes: Buffer) => void later(() => to.writable && to.write(bytes)));
      from.on('error', () => to.destroy());
      from.on('close', () => void later(() => to.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const far = new URL(url);
  far.port = String((server.address() as AddressInfo).port);
  far.hostname = '127.0.0.1';
  return far.href;
}

/** Returns the round trips of the quickest try: others opened connections, or met other work. */
async function roundTrips(attempt: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < tries; index++) {
    const start = performance.now();
    await attempt(index);
    times.push(performance.now() - start);
  }
  return Math.floor(Math.min(...times) / roundTripMilliseconds);
}

t.test('a database far away is asked no more often than it must be', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const url = await farFrom(t, await createMigratedDatabase());
  const settings = { ...processSettings(folder, url), RATE_LIMITS: 'off' };
  const door = new ServiceDoor((await ServiceProcess.start(t, `${folder}/data`, settings)).url);
  const credential = await door.register();
  const ids: string[] = [];
  const creation = await roundTrips(async (index) => {
    const headers = { 'idempotency-key': `new-${index}` };
    const made = await door.request('/v1/workbooks', { credential, headers, body: {} });
    t.equal(made.status, 201);
    ids.push((made.json as { id: string }).id);
  });
  const write = async (id: string | undefined, input: number): Promise<void> => {
    const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } }];
    const path = `/v1/workbooks/${id}/branches/main/ops`;
    t.equal((await door.request(path, { credential, body: { ops } })).status, 200);
  };
  const path = `/v1/workbooks/${ids[0]}/slice?range=A1`;
  const most = {
    creation: [creation, 16],
    write: [await roundTrips((index) => write(ids[0], index)), 1],
    read: [await roundTrips(() => door.request(path, { credential })), 0],
  };
  for (const [name, [count = 0, allowed = 0]] of Object.entries(most)) {
    t.ok(count <= allowed, `${name} takes ${count} round trips, of ${allowed}`);
  }
});
