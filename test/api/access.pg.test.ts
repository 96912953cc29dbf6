import t from 'tap';

import { givenRoles, roles, rolesFor, routeActions } from '../../server/model/access.ts';
import type { Role } from '../../server/model/access.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { secretHash } from '../../server/identity/credential.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import type { ClaimedAgent } from '../support/claimed-agent.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';
import type { TestAnswer } from '../support/test-service.ts';

/** Runs long: every route is asked in every role. */

interface Operation {
  readonly 'x-scope'?: 'read' | 'write' | 'account';
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly scope: Operation['x-scope'] | undefined;
}

/** Every route, as the service itself lists them. */
async function routesOf(service: TestService): Promise<Row[]> {
  const { json } = await service.request('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      scope: operation['x-scope'],
    })),
  );
}

const workbookPath = '/v1/workbooks/{id}';

function actionOf({ method, path }: Row): string | undefined {
  return routeActions[`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`];
}

function fill(path: string, id: string, user: string): string {
  return path
    .replace('{id}', id)
    .replace('{user}', user)
    .replace('{branch}', 'main')
    .replaceAll(/\{\w+\}/g, 'x1');
}

type People = Readonly<Record<Role | 'stranger', ClaimedAgent>>;

async function makePeople(service: TestService): Promise<People> {
  const people = await Promise.all(
    [...roles, 'stranger' as const].map(
      async (role) => [role, await claimedAgent(service.url)] as const,
    ),
  );
  return Object.fromEntries(people) as People;
}

async function makeBook(service: TestService, people: People): Promise<string> {
  const { credential } = people.owner;
  const made = await service.request('/v1/workbooks', { credential, body: {} });
  const { id } = made.json as { id: string };
  for (const role of givenRoles) {
    const path = `/v1/workbooks/${id}/collaborators/${people[role].userId}`;
    const given = await service.request(path, { method: 'PUT', credential, body: { role } });
    t.equal(given.status, 200);
  }
  return id;
}

t.test('each route has a row in the matrix, and the matrix is what happens', async (t) => {
  const service = await TestService.start(t);
  const people = await makePeople(service);
  const rows = (await routesOf(service)).filter(({ path }) => path.startsWith(workbookPath));
  t.ok(rows.length > 25);
  for (const row of rows) {
    const action = actionOf(row);
    const name = `${row.method} ${row.path}`;
    t.ok(action, `${name} has a row`);
    // Everybody may leave, which the next test looks at.
    if (action === 'leave') continue;
    const id = await makeBook(service, people);
    const needed = [
      [/\/(?:slice|formats|blame)$/u, '?range=A1'],
      [/\/find$/u, '?q=a'],
      [/\/edge$/u, '?cell=A1&direction=down'],
      [/\{id\}\/(?:diff|tables\/\{tid\}\/changes)$/u, '?from=main'],
    ] as const;
    const query = needed.find(([pattern]) => pattern.test(row.path))?.[1] ?? '';
    const path = fill(row.path, id, people.stranger.userId) + query;
    const ask = (credential: string): Promise<TestAnswer> =>
      service.request(path, {
        method: row.method,
        credential,
        ...(row.method !== 'GET' && row.method !== 'DELETE' && { body: { nonsense: 1 } }),
      });
    t.equal((await ask(people.stranger.credential)).status, 404, `${name}: not for strangers`);
    for (const role of roles.toReversed()) {
      const { status, json } = await ask(people[role].credential);
      const { code, role: told } = (json ?? {}) as { code?: string; role?: string };
      // An answer that describes a workbook tells the role as well.
      const refused = code === undefined ? undefined : told;
      const isAllowed = (rolesFor as Record<string, readonly string[]>)[`${action}`]?.includes(
        role,
      );
      t.equal(refused === undefined, isAllowed, `${name} as ${role}: ${status} ${code}`);
    }
  }
});

t.test('a credential does what its scopes say on every route', async (t) => {
  const databaseUrl = await createMigratedDatabase();
  const service = await TestService.start(t, { DATABASE_URL: databaseUrl });
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const order = ['read', 'write', 'account'];
  const credentials = new Map<string, string>();
  for (const scopes of [[], ['read'], ['write'], ['read', 'write'], order]) {
    const credential = await service.register();
    await sql`
      update credential set scopes = ${scopes}::text[] where sha256 = ${secretHash(credential)}`;
    credentials.set(scopes.join(' '), credential);
  }
  for (const { method, path, scope } of await routesOf(service)) {
    if (scope === undefined) continue;
    const at = fill(path, 'wb_none', 'usr_none');
    t.equal((await service.request(at, { method })).status, 401, `${method} ${path} without a key`);
    for (const [scopes, credential] of credentials) {
      // A rotation and a revocation would end the credential of the next route.
      if (path === '/agent/auth/rotate' && scopes.includes(scope)) continue;
      const { json } = await service.request(at, { method, credential });
      const { code, error } = (json ?? {}) as { code?: string; error?: string };
      const isRefused = (code ?? error) === 'insufficient_scope';
      t.equal(isRefused, !scopes.split(' ').includes(scope), `${method} ${path} with "${scopes}"`);
    }
  }
});

t.test('roles are given, changed, taken away and given up', async (t) => {
  const service = await TestService.start(t);
  const people = await makePeople(service);
  const id = await makeBook(service, people);
  const base = `/v1/workbooks/${id}`;
  const ask = (who: ClaimedAgent, rest: string, method = 'GET', body?: object) =>
    service.request(base + rest, { credential: who.credential, method, ...(body && { body }) });
  const { owner, editor, reviewer, viewer, stranger } = people;
  const listed = (await ask(viewer, '/collaborators')).json as {
    collaborators: { userId: string; role: string; kind: string }[];
  };
  const found = listed.collaborators.map(({ userId, role }) => `${role} ${userId}`);
  for (const role of roles) t.ok(found.includes(`${role} ${people[role].userId}`), role);
  t.equal(
    listed.collaborators.filter(({ kind }) => kind === 'human').length,
    1,
    'and their person',
  );
  const write = (who: ClaimedAgent) =>
    ask(who, '/branches/main/ops', 'POST', {
      ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } }],
    });
  t.match(await write(viewer), { status: 403, json: { code: 'forbidden', role: 'viewer' } });
  t.match(await write(editor), { status: 200 });
  const shared = await service.request('/v1/workbooks', { credential: viewer.credential });
  t.match(shared.json, { total: 1, workbooks: [{ id, ownerId: owner.userId }] });
  await ask(owner, `/collaborators/${viewer.userId}`, 'PUT', { role: 'editor' });
  t.match(await write(viewer), { status: 200 }, 'at once');
  const others = `/collaborators/${reviewer.userId}`;
  t.match(await ask(editor, others, 'DELETE'), { status: 403 }, 'only the owner sends away');
  t.match(await ask(editor, others, 'PUT', { role: 'editor' }), { status: 403 });
  t.match(await ask(owner, others, 'DELETE'), { status: 200 });
  t.match(await ask(reviewer, ''), { status: 404 });
  await ask(editor, `/collaborators/${editor.userId}`, 'DELETE');
  t.match(await write(editor), { status: 404 }, 'who left is a stranger');
  const nobody = `/collaborators/usr_${'0'.repeat(26)}`;
  t.match(await ask(owner, nobody, 'PUT', { role: 'viewer' }), { status: 404 });
  t.match(await ask(owner, `/collaborators/${owner.userId}`, 'PUT', { role: 'viewer' }), {
    status: 400,
  });
  const asked = { credential: stranger.credential };
  const hidden = await service.request(`/v1/workbooks/${id}/collaborators`, asked);
  t.match(hidden, { status: 404 });
});

t.test('a person does with the workbooks of a linked agent what the agent may do', async (t) => {
  const service = await TestService.start(t);
  const email = 'ada@example.com';
  const linked = await claimedAgent(service.url, { email, link: true });
  const person = await claimedAgent(service.url, { email, link: false });
  const { credential } = linked;
  const before = await service.request('/v1/workbooks', { credential, body: { name: 'b' } });
  const { id } = before.json as { id: string };
  const ask = (rest: string, method = 'GET') =>
    service.request(`/v1/workbooks/${id}${rest}`, { credential: person.credential, method });
  t.match(await ask(''), { status: 200 });
  t.match((await service.request('/v1/workbooks', { credential: person.credential })).json, {
    workbooks: [{ id, ownerId: linked.userId }],
  });
  const { confirm } = (await ask('', 'DELETE')).json as { confirm: string };
  t.match(await ask(`?purge=true&confirm=${confirm}`, 'DELETE'), { status: 200 });
  const own = await service.request('/v1/workbooks', { credential: person.credential, body: {} });
  const { id: ownId } = own.json as { id: string };
  t.match(
    await service.request(`/v1/workbooks/${ownId}`, { credential }),
    { status: 404 },
    'not back',
  );
});
