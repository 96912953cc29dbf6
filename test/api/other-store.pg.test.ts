import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { S3Server } from '../support/s3/server.ts';
import { processSettings } from '../support/process-settings.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { runStoreCommand } from '../support/store-command.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A database and its object store have one mark, and neither is used with another. Runs long. */

t.setTimeout(120_000);

type Settings = Readonly<Record<string, string>>;

async function makeSettings(t: Test): Promise<{ folder: string; own: Settings; other: Settings }> {
  const folder = await makeTemporaryFolder(t);
  const own = processSettings(folder, await createMigratedDatabase());
  const other = { ...own, OBJECT_STORE_URL: pathToFileURL(`${folder}/other`).href };
  return { folder, own, other };
}

async function storeOf({ url }: ServiceProcess): Promise<unknown> {
  const { json } = await new ServiceDoor(url).request('/ready');
  return (json as { store?: string }).store;
}

async function writeAndFlush({ url }: ServiceProcess): Promise<void> {
  const door = new ServiceDoor(url);
  const credential = await door.register();
  const { json } = await door.request('/v1/workbooks', { credential, body: {} });
  const path = `/v1/workbooks/${(json as { id: string }).id}/branches/main/flush`;
  const { status, text } = await door.request(path, { credential, method: 'POST' });
  if (status !== 200) throw new Error(text);
}

t.test('a second process with another store is refused, and the first goes on', async (t) => {
  const { folder, own, other } = await makeSettings(t);
  const first = await ServiceProcess.start(t, `${folder}/first`, own);
  const mark = await storeOf(first);
  t.match(mark, /^store_[0-9a-f]{24}$/, '/ready names the store');
  const { code, output } = await ServiceProcess.refuse(`${folder}/second`, other);
  t.equal(code, 1);
  t.match(output, /^Quire cannot start: OBJECT_STORE_URL names a store without the mark/m);
  t.match(output, String(mark));
  t.match(output, 'npm run store -- adopt');
  const third = await ServiceProcess.start(t, `${folder}/third`, own);
  t.equal(await storeOf(third), mark, 'all that share it say the same');
  await writeAndFlush(first);
});

t.test('two first starts at one time with two stores: one of them is refused', async (t) => {
  const { folder, own, other } = await makeSettings(t);
  const begun = [own, other].map((settings, index) =>
    ServiceProcess.begin(t, `${folder}/${index}`, settings),
  );
  const outcomes = await Promise.allSettled(begun.map(({ started }) => started));
  t.same(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

t.test('the store of another database is refused until it is taken over', async (t) => {
  const { folder, own } = await makeSettings(t);
  const first = await ServiceProcess.start(t, `${folder}/first`, own);
  await writeAndFlush(first);
  await first.stop();
  const foreign = { ...own, DATABASE_URL: await createMigratedDatabase() };
  const refused = await ServiceProcess.refuse(`${folder}/second`, foreign);
  t.equal(refused.code, 1);
  t.match(refused.output, /names the store store_[0-9a-f]+ of another database/);

  const adopted = await runStoreCommand(['adopt'], { DATA_DIR: `${folder}/second`, ...foreign });
  t.equal(adopted.code, 0, adopted.output);
  const second = await ServiceProcess.start(t, `${folder}/second`, foreign);
  t.match(adopted.output, String(await storeOf(second)));
  const running = await runStoreCommand(['adopt'], { DATA_DIR: `${folder}/third`, ...foreign });
  t.match(running, { code: 1, output: /stop all of them first/ });
  await second.stop();
  const former = await ServiceProcess.refuse(`${folder}/first`, own);
  t.match(former.output, /of another database/, 'its former owner does not write to it any more');
});

t.test('an empty store is refused while a process runs, and taken with its losses', async (t) => {
  const { folder, own, other } = await makeSettings(t);
  const first = await ServiceProcess.start(t, `${folder}/first`, own);
  await writeAndFlush(first);
  t.equal((await ServiceProcess.refuse(`${folder}/second`, other)).code, 1);
  await first.stop();
  const settings = { DATA_DIR: `${folder}/first`, ...other };
  const shown = await runStoreCommand(['status'], settings);
  t.match(shown.output, /object store +without a mark\nhistory +0 of 1 objects/);
  const kept = await runStoreCommand(['adopt'], settings);
  t.match(kept, { code: 1, output: /lacks 1 of 1 objects/ });
  t.equal((await runStoreCommand(['adopt', '--with-losses'], settings)).code, 0);
  const again = await ServiceProcess.start(t, `${folder}/first`, other);
  t.match(await storeOf(again), /^store_/);
});

t.test('another store that did not answer at the start is never written to', async (t) => {
  const { folder, own } = await makeSettings(t);
  const first = await ServiceProcess.start(t, `${folder}/first`, own);
  await first.stop();
  const store = await S3Server.start(t);
  store.goAway();
  const { accessKeyId, secretAccessKey } = S3Server.credentials;
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const settings = { ...own, ...keys, OBJECT_STORE_URL: store.url };
  const service = await ServiceProcess.start(t, `${folder}/first`, settings);
  await store.comeBack();
  await t.rejects(writeAndFlush(service), /The object store of this service is not that of its/);
  t.same([...store.bucket.keys()], []);
  const { json } = await new ServiceDoor(service.url).request('/ready');
  t.match(json, { status: 'degraded', dependencies: { objects: 'unavailable' } });
  t.ok(service.logLines.some((line) => line.includes('names a store without the mark')));
});

t.test(
  'a store that was emptied is taken when no process runs, and no other one after it',
  async (t) => {
    const { folder, own, other } = await makeSettings(t);
    const first = await ServiceProcess.start(t, `${folder}/first`, own);
    await writeAndFlush(first);
    const mark = await storeOf(first);
    await first.stop();
    const sql = openPostgres({ url: own['DATABASE_URL'] ?? '', applicationName: 'test' });
    t.teardown(() => sql.end({ timeout: 1 }));
    // A process that placed a mark within seconds may not have told yet that it runs.
    await sql`update object_store set placed_at = placed_at - interval '1 minute'`;
    const second = await ServiceProcess.start(t, `${folder}/first`, other);
    t.not(await storeOf(second), mark, 'it has a mark of its own');
    await writeAndFlush(second);
    await second.stop();
    const former = await ServiceProcess.refuse(`${folder}/first`, own);
    t.match(former.output, `names the store ${String(mark)} of another database`);
  },
);

t.test('a command that is not one says which there are', async (t) => {
  t.match(await runStoreCommand([], {}), { code: 2, output: /^npm run store -- <command>/ });
  t.match(await runStoreCommand(['status', '--with-losses'], {}), { code: 2 });
  t.match(await runStoreCommand(['take'], {}), { code: 2, output: /there is no command take/ });
});
