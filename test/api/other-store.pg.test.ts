import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { processSettings } from '../support/process-settings.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

t.setTimeout(60_000);

t.test('a store that is not that of the database is told to the operator', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const own = processSettings(folder, await createMigratedDatabase());
  const other = { ...own, OBJECT_STORE_URL: pathToFileURL(`${folder}/other`).href };
  const told = async (name: string, settings: Record<string, string>): Promise<string[]> => {
    const service = await ServiceProcess.start(t, `${folder}/${name}`, settings);
    const lines = (): string[] =>
      service.logLines.filter((line) => line.includes('OBJECT_STORE_URL names a store'));
    // It is looked for once the service is ready.
    for (let tries = 0; tries < 40 && lines().length === 0; tries++) await delay(50);
    t.equal(await service.stop(), 0);
    return lines();
  };
  t.same(await told('new', other), [], 'nothing is known of any store yet');
  const service = await ServiceProcess.start(t, `${folder}/first`, own);
  const door = new ServiceDoor(service.url);
  const credential = await door.register();
  const { json } = await door.request('/v1/workbooks', { credential, body: {} });
  const path = `/v1/workbooks/${(json as { id: string }).id}/branches/main/flush`;
  t.equal((await door.request(path, { credential, method: 'POST' })).status, 200);
  t.equal((await told('second', own)).length, 0);
  t.equal((await told('third', other)).length, 1);
});
