import t from 'tap';

import { Expiry } from '../../server/identity/expiry/expiry.ts';
import { ExpiryTable } from '../../server/identity/expiry/sql.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import { createMigratedDatabase } from '../support/postgres.ts';

const dayMilliseconds = 86_400_000;

t.test('an agent that nobody claims or uses ends, and later its workbooks go', async (t) => {
  const databaseUrl = await createMigratedDatabase();
  const world = await IdentityWorld.start(t, { DATABASE_URL: databaseUrl });
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const idle = await world.agent();
  const claimed = await world.agent();
  const { credential } = idle;
  const made = await world.service.request('/v1/workbooks', { credential, body: {} });
  const { id } = made.json as { id: string };
  await world.claimed(claimed, 'a@example.com', true);
  const steps: string[] = [];
  const expiry = new Expiry({
    table: new ExpiryTable(sql),
    environment: world.clock.environment,
    report: (step, error) => t.fail(`${step}: ${String(error)}`),
    archive: async (workbook, owner) => {
      steps.push(`archive ${workbook} of ${owner.userId}`);
      await sql`
        update workbook set archived = true, archived_at = now(), confirm = 'cf_1'
         where workbook_id = ${workbook}`;
      return { confirm: 'cf_1' };
    },
    purge: async (workbook, _owner, confirm) => {
      steps.push(`purge ${workbook} with ${confirm}`);
      await sql`delete from workbook where workbook_id = ${workbook}`;
    },
  });
  await expiry.pass();
  t.same(steps, [], 'nobody is due yet');
  const days = (count: number) => world.clock.forward((count * dayMilliseconds) / 1000);
  days(31);
  await expiry.pass();
  await expiry.pass();
  t.same(steps, [`archive ${id} of ${idle.userId}`], 'once, and only the idle one');
  const refused = await world.service.request('/agent/auth/me', { credential });
  t.match(refused, { status: 401 });
  t.match(await world.claim(idle, 'b@example.com'), { status: 410, error: 'claim_expired' });
  days(29);
  await expiry.pass();
  t.equal(steps.length, 1);
  days(2);
  await expiry.pass();
  await expiry.pass();
  t.same(steps.slice(1), [`archive ${id} of ${idle.userId}`, `purge ${id} with cf_1`]);
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*) from auth_event where kind = 'registration.expired'`;
  t.equal(count, 1);
});
