import t from 'tap';
import type { Test } from 'tap';
import { openPostgres } from '../../server/storage/postgres.ts';
import type { Sql } from '../../server/storage/postgres.ts';
import { oncePerFile } from './once-per-file.ts';
import {
  addDatabase,
  beside,
  dropDatabases,
  SharedPostgres,
  sharedPostgresSetting,
} from './shared-postgres.ts';
import type { SharedAddress } from './shared-postgres.ts';

/** PostgreSQL of the run, or one for this file, started at the first use. */
const findShared = oncePerFile(() => sharedByRun() ?? startOwn());

/** Databases of this file, which are dropped after its last test. */
const own: string[] = [];

/** The URL of a new, empty database. */
export async function createDatabase(): Promise<string> {
  return create(undefined);
}

/** The URL of a new database with the schema up to date. */
export async function createMigratedDatabase(): Promise<string> {
  const { template } = await findShared();
  return create(template);
}

async function create(template: string | undefined): Promise<string> {
  const { url } = await findShared();
  const name = await addDatabase(url, template);
  own.push(name);
  return beside(url, name);
}

/** A pool on a new database with the schema up to date; closed after the test. */
export async function openTestDatabase(test: Pick<Test, 'teardown'>): Promise<Sql> {
  const sql = openPostgres({
    url: await createMigratedDatabase(),
    applicationName: 'quire-test',
    connectionCount: 4,
  });
  test.teardown(() => sql.end({ timeout: 1 }));
  return sql;
}

function sharedByRun(): Promise<SharedAddress> | undefined {
  const given = process.env[sharedPostgresSetting];
  if (given === undefined) return undefined;
  const address = JSON.parse(given) as SharedAddress;
  t.teardown(() => dropDatabases(address.url, own.splice(0)));
  return Promise.resolve(address);
}

async function startOwn(): Promise<SharedAddress> {
  const server = await SharedPostgres.start((message) => t.comment(message));
  t.teardown(() => server.stop());
  return server.address;
}

/** The URL of a copy of a database that nobody is connected to. */
export async function copyDatabase(source: string): Promise<string> {
  return create(new URL(source).pathname.slice(1));
}
