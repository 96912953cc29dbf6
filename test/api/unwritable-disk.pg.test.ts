import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';
import { ask, post, type Answer } from '../crash/requests.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Runs long: services on disks that are full or read-only. */

/** A disk that takes no writes is no mistake of ours, and not hidden from who asks. */

t.setTimeout(120_000);

class Client {
  readonly service: ServiceProcess;
  readonly #credential: string;
  readonly #workbook: string;

  private constructor(service: ServiceProcess, credential: string, workbook: string) {
    this.service = service;
    this.#credential = credential;
    this.#workbook = workbook;
  }

  static async start(t: Test, folder: string, settings: Record<string, string> = {}) {
    const fixed = { RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' };
    const service = await ServiceProcess.start(t, folder, { ...fixed, ...settings });
    const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
    const { credential } = (answer as { data: { credential: string } }).data;
    const { id } = (await post(`${service.url}/v1/workbooks`, {}, credential)) as { id: string };
    const client = new Client(service, credential, `/v1/workbooks/${id}`);
    t.equal((await client.write(1))?.status, 200);
    return client;
  }

  write(characterCount: number): Promise<Answer | undefined> {
    const input = 'x'.repeat(characterCount);
    const payload = { cells: [{ a1: 'A1', input }] };
    return this.post('/branches/main/ops', { ops: [{ kind: 'cells.set', payload }] });
  }

  post(path: string, body: object = {}): Promise<Answer | undefined> {
    const url = this.service.url + this.#workbook + path;
    return ask(url, { method: 'POST', credential: this.#credential, body });
  }

  async read(): Promise<number | undefined> {
    const url = `${this.service.url}${this.#workbook}/slice?range=A1`;
    return (await ask(url, { credential: this.#credential }))?.status;
  }

  async ready(): Promise<unknown> {
    return (await ask(`${this.service.url}/ready`))?.json;
  }
}

/** Returns whether the answer says that the disk is full, or that a service does not answer. */
function isTold(answer: Answer | undefined): boolean {
  return answer?.status === 507 || answer?.status === 503;
}

t.test('a full disk for objects is 507, and said so until there is room', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes: 4 });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  const objects = { OBJECT_STORE_URL: pathToFileURL(disk.folder).href };
  const client = await Client.start(t, await makeTemporaryFolder(t), objects);
  t.match(await client.ready(), { status: 'ok' });
  await disk.fill();
  for (const path of ['/branches/main/flush', '/branches/main/checkpoint']) {
    const answer = await client.post(path);
    t.match(answer, { status: 507, json: { code: 'storage_full' } }, path);
  }
  t.match(await client.ready(), { status: 'degraded', dependencies: { objects: 'unavailable' } });
  t.equal((await client.write(1))?.status, 200);
  await disk.makeRoom();
  t.equal((await client.post('/branches/main/checkpoint'))?.status, 200);
  t.match(await client.ready(), { status: 'ok' });
  return undefined;
});

t.test('objects that are only read are 503, and said so', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes: 4 });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  const objects = { OBJECT_STORE_URL: pathToFileURL(disk.folder).href };
  const client = await Client.start(t, await makeTemporaryFolder(t), objects);
  await disk.remount('ro');
  t.match(await client.ready(), { status: 'degraded', dependencies: { objects: 'unavailable' } });
  for (const path of ['/branches/main/flush', '/branches/main/checkpoint']) {
    t.match(await client.post(path), { status: 503, json: { code: 'unavailable' } }, path);
  }
  t.equal((await client.write(1))?.status, 200);
  await disk.remount('rw');
  t.equal((await client.post('/branches/main/checkpoint'))?.status, 200);
  t.match(await client.ready(), { status: 'ok' });
  return undefined;
});

t.test('a full disk for all: no 500, reads go on, and /ready says it', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes: 220 });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  const client = await Client.start(t, disk.folder);
  t.equal(await client.read(), 200);
  await disk.fill();
  let answer = await client.write(30_000);
  while (answer?.status === 200) answer = await client.write(30_000);
  t.ok(isTold(answer), `the write answers ${answer?.status}`);
  for (const path of ['/branches/main/flush', '/branches/main/checkpoint']) {
    const refused = await client.post(path);
    t.ok(isTold(refused), `${path} answers ${refused?.status}`);
  }
  const { status } = (await client.ready()) as { status: string };
  t.not(status, 'ok');
  t.equal(await client.read(), 200);
  await disk.makeRoom();
  while ((await client.write(1))?.status !== 200) t.equal(await client.read(), 200);
  while (((await client.ready()) as { status: string }).status !== 'ok');
  t.equal(await client.service.stop(), 0);
  return undefined;
});
