import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { createDatabase } from '../support/postgres.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

interface LogStatus {
  readonly tree_size: number;
  readonly pending: number;
}

t.test('a clock that is set back by an hour holds nothing up', async (t) => {
  const folder = await makeDataDirectory(t);
  const { settings, clockFile } = await clockOf(folder, 0);
  const service = await ServiceProcess.start(t, folder, settings);
  const door = new ServiceDoor(service.url);
  const credential = await door.register();
  const status = async (): Promise<LogStatus> =>
    (await (await fetch(`${service.url}/v1/tlog/status`)).json()) as LogStatus;
  await door.request('/v1/workbooks', { credential, body: {} });
  await untilLogged(status, 1);
  await writeFile(clockFile, String(-3_600_000));
  service.child.kill('SIGUSR2');
  const before = (await status()).tree_size;
  await door.request('/v1/workbooks', { credential, body: {} });
  const after = await untilLogged(status, before + 1);
  t.equal(after.pending, 0, 'the log goes on');
});

t.test('the time that a process is up counts no step of the clock', async (t) => {
  const folder = await makeDataDirectory(t);
  const { settings, clockFile } = await clockOf(folder, 0);
  const given = { ...settings, DATABASE_URL: await createDatabase() };
  const service = await ServiceProcess.start(t, folder, given);
  const uptime = async (): Promise<number> => {
    const health = await (await fetch(`${service.url}/health`)).json();
    return (health as { uptime_s: number }).uptime_s;
  };
  for (const ahead of [86_400_000, -86_400_000]) {
    await writeFile(clockFile, String(ahead));
    service.child.kill('SIGUSR2');
    await delay(100);
    const seconds = await uptime();
    t.ok(seconds >= 0 && seconds < 3_600, `up for ${seconds} s`);
  }
});

t.test('a clock that is not that of the database is told to the operator', async (t) => {
  const shared = {
    DATABASE_URL: await createDatabase(),
    OBJECT_STORE_URL: pathToFileURL(await makeTemporaryFolder(t)).href,
  };
  for (const ahead of [-3_600_000, 0]) {
    const folder = await makeTemporaryFolder(t);
    const { settings } = await clockOf(folder, ahead);
    const service = await ServiceProcess.start(t, folder, { ...settings, ...shared });
    const told = service.logLines.filter((line) => line.includes('its clock is'));
    if (ahead === 0) t.same(told, []);
    else t.match(told, [/PostgreSQL: its clock is 3[56]\d\d s ahead of that of this machine/]);
    t.equal(await service.stop(), 0);
  }
});

/** Makes the file of a clock that is so far ahead, and the settings of a process that goes by it. */
async function clockOf(folder: string, aheadMilliseconds: number) {
  const clockFile = join(folder, 'clock');
  await writeFile(clockFile, String(aheadMilliseconds));
  const { href } = new URL('../support/set-clock.js', import.meta.url);
  return { clockFile, settings: { CLOCK_FILE: clockFile, NODE_OPTIONS: `--import=${href}` } };
}

/** Resolves with the state of the log once it has that many entries and none waits, or in 10 s. */
async function untilLogged(status: () => Promise<LogStatus>, least: number): Promise<LogStatus> {
  for (let tries = 0; ; tries++) {
    const found = await status();
    const isThere = found.tree_size >= least && found.pending === 0;
    if (isThere || tries === 100) return found;
    await delay(100);
  }
}
