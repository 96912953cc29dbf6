import t from 'tap';

import { migrations } from '../../server/storage/migrations/all.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { processSettings } from '../support/process-settings.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

t.setTimeout(60_000);

t.test(
  'a process starts and writes on the schema of the next version, and no further',
  async (t) => {
    const folder = await makeTemporaryFolder(t);
    const url = await createMigratedDatabase();
    const settings = processSettings(folder, url);
    const newest = migrations.length;
    const sql = openPostgres({ url, applicationName: 'next', connectionCount: 1 });
    t.teardown(() => sql.end());
    const begin = (name: string) => ServiceProcess.start(t, `${folder}/${name}`, settings);
    const before = new ServiceDoor((await begin('before')).url);
    // The next version adds these, and older statements do not name them.
    await sql`alter table branch add column added integer not null default 0`;
    await sql`alter table segment add column added text`;
    await sql`alter table workbook add column added jsonb not null default '{}'`;
    await sql`
    insert into schema_migration (number, name, sha256, requires)
    values (${newest + 1}, 'next', '\\x00', ${newest})`;
    const beside = new ServiceDoor((await begin('beside')).url);
    const credential = await before.register();
    const { json } = await before.request('/v1/workbooks', { credential, body: {} });
    const { id } = json as { id: string };
    for (const [index, door] of [before, beside, before, beside].entries()) {
      const cells = [{ a1: 'A1', input: index }];
      const ops = [{ kind: 'cells.set', payload: { cells } }];
      const path = `/v1/workbooks/${id}`;
      const written = await door.request(`${path}/branches/main/ops`, {
        credential,
        body: { ops },
      });
      t.equal(written.status, 200);
      for (const reader of [before, beside]) {
        const read = await reader.request(`${path}/slice?range=A1`, { credential });
        t.match(read.json, { rows: [[index]] });
      }
    }
    await sql`
    insert into schema_migration (number, name, sha256, requires)
    values (${newest + 2}, 'after-next', '\\x00', ${newest + 1})`;
    const { code, output } = await ServiceProcess.refuse(`${folder}/late`, settings);
    t.equal(code, 1);
    t.match(
      output,
      /^Quire cannot start: the database has migration \d+ \(after-next\) of a newer/,
    );
    t.match(output, `know migration ${newest + 1}, and this one knows those up to ${newest}`);
    t.equal(output.split('\n').length, 1);
  },
);
