import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { expectedFailures, readOutcome, surprises } from './failures.ts';

const listed = 'server:\n  # There are no tasks.\n  - tasks-wire-fields:renamed\n  - ping:gone\n';

t.test(
  'every failed check is known by its scenario, with the time of the run left out',
  async (t) => {
    const folder = await makeTemporaryFolder(t);
    const write = async (name: string, ...statuses: readonly string[]): Promise<void> => {
      await mkdir(join(folder, name));
      const checks = statuses.map((status, index) => ({ id: `check-${index}`, status }));
      await writeFile(join(folder, name, 'checks.json'), JSON.stringify(checks));
    };
    await write('server-ping-2026-11-29T11-56-41-698Z', 'SUCCESS', 'INFO');
    await write('server-sep-2164-not-found-2026-11-29T11-56-42-470Z', 'SUCCESS', 'FAILURE');
    const { scenarioCount, failures } = await readOutcome(folder);
    t.equal(scenarioCount, 2);
    t.same([...failures], ['sep-2164-not-found:check-1']);
  },
);

t.test(
  'a failure that no file names is a surprise, and so is a name that fails no more',
  async (t) => {
    const failures = new Set(['tasks-wire-fields:renamed', 'tasks-wire-fields:wire-schema-valid']);
    t.same(surprises(failures, expectedFailures(listed)), [
      'fails: tasks-wire-fields:wire-schema-valid',
      'fails no more: ping:gone',
    ]);
  },
);
