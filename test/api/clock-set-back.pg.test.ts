import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';

interface LogStatus {
  readonly tree_size: number;
  readonly pending: number;
}

t.test('a clock that is set back by an hour holds nothing up', async (t) => {
  const folder = await makeDataDirectory(t);
  const clockFile = join(folder, 'clock');
  const service = await ServiceProcess.start(t, folder, {
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import=${new URL('../support/set-clock.js', import.meta.url).href}`,
  });
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
  const health = (await (await fetch(`${service.url}/health`)).json()) as { uptime_s: number };
  t.ok(health.uptime_s >= 0, `up for ${health.uptime_s} s`);
});

/** Resolves with the state of the log once it has that many entries and none waits, or in 10 s. */
async function untilLogged(status: () => Promise<LogStatus>, least: number): Promise<LogStatus> {
  for (let tries = 0; ; tries++) {
    const found = await status();
    const isThere = found.tree_size >= least && found.pending === 0;
    if (isThere || tries === 100) return found;
    await delay(100);
  }
}
