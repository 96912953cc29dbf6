import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import t, { type Test } from 'tap';

import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { ask, get, post } from './requests.ts';

/** Runs long: threads are killed in the middle of computations of seconds. */

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', DEV_HOOKS: 'on' };
/** Formulas that a thread is busy with for some seconds. */
const rows = Array.from({ length: 2000 }, () => ['=SUM(SEQUENCE(60000,1,ROW()))/7']);

interface Stats {
  readonly computation: { readonly state: string; readonly done: number } | null;
}

/** Computations of two equal workbooks: one is left in peace, the other's disturbed. */
class Computed {
  service: ServiceProcess;
  readonly #credential: string;
  readonly #disturbed: string;
  readonly #expected: readonly object[];

  private constructor(
    service: ServiceProcess,
    given: { credential: string; disturbed: string; expected: readonly object[] },
  ) {
    this.service = service;
    this.#credential = given.credential;
    this.#disturbed = given.disturbed;
    this.#expected = given.expected;
  }

  static async start(service: ServiceProcess): Promise<Computed> {
    const agent = (await post(`${service.url}/agent/auth`, { type: 'anonymous' })) as {
      data: { credential: string };
    };
    const { credential } = agent.data;
    const create = async (): Promise<string> => {
      const body = { sheets: [{ name: 'Plan', rows }] };
      const made = await post(`${service.url}/v1/workbooks`, body, credential);
      return `/v1/workbooks/${(made as { id: string }).id}`;
    };
    const [calm, disturbed] = [await create(), await create()];
    const { values } = (await get(`${service.url}${calm}/values`, credential)) as {
      values: object[];
    };
    return new Computed(service, { credential, disturbed, expected: values });
  }

  /** Has the values computed, up to the middle. */
  async begin(t: Test): Promise<void> {
    // The ceiling that was moved goes with a process.
    const ceiling = { cells: 10, grid: null };
    await post(`${this.#url}/eval-ceiling`, ceiling, this.#credential);
    const begun = await ask(`${this.#url}/values`, { credential: this.#credential });
    t.equal(begun?.status, 202);
    for (let state = ''; state !== 'computing'; await sleep(20)) {
      const { computation } = (await get(`${this.#url}/eval-stats`, this.#credential)) as Stats;
      if (computation !== null && computation.done > 0) ({ state } = computation);
    }
  }

  /** They come to what they would have been; until then there is `202`, or also one of `others`. */
  async finish(t: Test, others: readonly number[] = []): Promise<void> {
    t.equal(this.#expected.length, 2000);
    for (;;) {
      const answer = await ask(`${this.#url}/values`, { credential: this.#credential });
      const { status = 0 } = answer ?? {};
      if (status !== 202 && !others.includes(status)) {
        t.match(answer, { status: 200, json: { values: this.#expected } });
        return;
      }
      await sleep(200);
    }
  }

  get #url(): string {
    return `${this.service.url}${this.#disturbed}`;
  }
}

t.test(
  'a process killed in the middle of a computation changes nothing but the time',
  async (t) => {
    const folder = await makeDataDirectory(t);
    const computed = await Computed.start(await ServiceProcess.start(t, folder, settings));
    for (let kill = 1; kill <= 1; kill++) {
      await computed.begin(t);
      await computed.service.kill();
      computed.service = await ServiceProcess.start(t, folder, settings);
    }
    await computed.begin(t);
    await computed.finish(t);
    await computed.service.stop();
  },
);

t.test('so does a PostgreSQL that is killed under it', async (t) => {
  const folder = await makeDataDirectory(t);
  const computed = await Computed.start(await ServiceProcess.start(t, folder, settings));
  await computed.begin(t);
  const postmaster = await findRunningPostmaster(join(folder, 'postgres'));
  if (postmaster === undefined) throw new Error('PostgreSQL does not run');
  process.kill(postmaster.pid, 'SIGKILL');
  await computed.finish(t, [503]);
  t.equal(await computed.service.stop(), 0);
});
