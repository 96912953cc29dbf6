import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { quietPort } from '../support/quiet-port.ts';
import { builtProgram, ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Runs long: services are started and stopped on clusters of their own. */

t.test('a start prints one ready line and a SIGTERM leaves nothing running', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const service = await ServiceProcess.start(t, folder, {}, builtProgram);
  t.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.not(new URL(service.url).port, '0');
  t.ok(await findRunningPostmaster(join(folder, 'postgres')));
  const began = Date.now();
  t.equal(await service.stop('SIGTERM'), 0);
  t.ok(Date.now() - began < 10_000);
  t.equal(await findRunningPostmaster(join(folder, 'postgres')), undefined);
  t.notOk((await readdir(folder)).includes('quire.lock'));
  for (const line of service.logLines) t.ok(JSON.parse(line), 'every log line is JSON');
});

t.test('after a kill -9 the next start adopts the database that was left', async (t) => {
  const folder = await makeDataDirectory(t);
  const killed = await ServiceProcess.start(t, folder);
  await killed.kill();
  const left = await findRunningPostmaster(join(folder, 'postgres'));
  t.ok(left, 'PostgreSQL outlives the kill');
  t.ok(await stat(join(folder, 'quire.lock')));
  const second = await ServiceProcess.start(t, folder);
  t.equal((await findRunningPostmaster(join(folder, 'postgres')))?.pid, left?.pid);
  t.equal(await second.stop('SIGINT'), 0);
  t.equal(await findRunningPostmaster(join(folder, 'postgres')), undefined);
});

t.test('a second Quire on one DATA_DIR is refused and harms nobody', async (t) => {
  const folder = await makeDataDirectory(t);
  const first = await ServiceProcess.start(t, folder);
  const refused = await ServiceProcess.refuse(folder);
  t.equal(refused.code, 1);
  t.match(refused.output, new RegExp(`another Quire \\(pid ${first.child.pid ?? 0}\\)`));
  t.notMatch(refused.output, /"stack"/, 'a sentence, not a stack');
  t.ok(await findRunningPostmaster(join(folder, 'postgres')));
  t.equal(await first.stop(), 0);
});

t.test('a setting that cannot be used ends the start with one sentence', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const refused = await ServiceProcess.refuse(folder, { WORKERS: 'many' });
  t.equal(refused.code, 2);
  t.match(refused.output, /^Quire cannot start: WORKERS is "many".*whole number/);
  t.same(await readdir(folder), []);
});

t.test('a second Quire on one PORT is refused with one sentence', async (t) => {
  const port = String(await quietPort());
  const first = await ServiceProcess.start(t, await makeDataDirectory(t), { PORT: port });
  const refused = await ServiceProcess.refuse(await makeDataDirectory(t), { PORT: port });
  t.equal(refused.code, 1);
  const said = refused.output.split('\n').filter((line) => line.startsWith('Quire cannot start'));
  t.equal(said.length, 1);
  t.match(said[0], new RegExp(`could not listen on 127\\.0\\.0\\.1:${port}; .*another PORT`));
  t.notMatch(refused.output, /"stack"|\bat .*\.js:\d+/);
  for (let count = 0; count < 10; count++) {
    t.equal((await fetch(`${first.url}/health`)).status, 200, 'the first one goes on');
  }
  t.equal(await first.stop(), 0);
  const again = await ServiceProcess.start(t, await makeDataDirectory(t), { PORT: port });
  t.equal(await again.stop(), 0, 'the port is free as soon as it ends');
});
