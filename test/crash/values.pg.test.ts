import { setTimeout as sleep } from 'node:timers/promises';

import t from 'tap';

import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { ask, get, post } from './requests.ts';

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', DEV_HOOKS: 'on' };
/** Formulas that a thread is busy with for some seconds. */
const rows = Array.from({ length: 4000 }, () => ['=SUM(SEQUENCE(60000,1,ROW()))/7']);

interface Stats {
  readonly computation: { readonly state: string; readonly done: number } | null;
}

t.test(
  'a process killed in the middle of a computation changes nothing but the time',
  async (t) => {
    const folder = await makeTemporaryFolder(t);
    let service = await ServiceProcess.start(t, folder, settings);
    const agent = (await post(`${service.url}/agent/auth`, { type: 'anonymous' })) as {
      data: { credential: string };
    };
    const { credential } = agent.data;
    const create = async (): Promise<string> => {
      const body = { sheets: [{ name: 'Plan', rows }] };
      const { id } = (await post(`${service.url}/v1/workbooks`, body, credential)) as {
        id: string;
      };
      return `/v1/workbooks/${id}`;
    };
    const [calm, disturbed] = [await create(), await create()];
    const expected = (await get(`${service.url}${calm}/values`, credential)) as {
      values: object[];
    };
    t.equal(expected.values.length, 4000);

    for (let kill = 1; kill <= 2; kill++) {
      // The ceiling that was moved goes with the process.
      await post(`${service.url}${disturbed}/eval-ceiling`, { cells: 10, grid: null }, credential);
      const begun = await ask(`${service.url}${disturbed}/values`, { credential });
      t.equal(begun?.status, 202);
      for (let state = ''; state !== 'computing'; await sleep(20)) {
        const stats = await get(`${service.url}${disturbed}/eval-stats`, credential);
        const { computation } = stats as Stats;
        if (computation !== null && computation.done > 0) ({ state } = computation);
      }
      await service.kill();
      service = await ServiceProcess.start(t, folder, settings);
    }
    await post(`${service.url}${disturbed}/eval-ceiling`, { cells: 10, grid: null }, credential);
    let answer = await ask(`${service.url}${disturbed}/values`, { credential });
    t.equal(answer?.status, 202);
    while (answer?.status === 202) {
      await sleep(200);
      answer = await ask(`${service.url}${disturbed}/values`, { credential });
    }
    t.equal(answer?.status, 200);
    t.match(answer?.json, { values: expected.values });
    await service.stop();
  },
);
