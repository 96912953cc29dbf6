import t from 'tap';

import { IdentityWorld } from '../support/identity-world.ts';

interface Usage {
  readonly usage: { readonly operations: number };
}

const operation = { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } };

async function world(t: { teardown(done: () => unknown): unknown }) {
  const started = await IdentityWorld.start(t);
  const { service } = started;
  const book = async (credential: string, name: string): Promise<string> => {
    const { json } = await service.request('/v1/workbooks', { credential, body: { name } });
    return (json as { id: string }).id;
  };
  const give = (credential: string, id: string, userId: string, role: string) =>
    service.request(`/v1/workbooks/${id}/collaborators/${userId}`, {
      method: 'PUT',
      credential,
      body: { role },
    });
  const people = async (credential: string, id: string) => {
    const path = `/v1/workbooks/${id}/collaborators`;
    const { json } = await service.request(path, { credential });
    return (json as { collaborators: { userId: string; role: string }[] }).collaborators.map(
      ({ userId, role }) => `${userId} ${role}`,
    );
  };
  return { service, started, book, give, people };
}

t.test('a merged agent brings along what it used this month', async (t) => {
  const { started, service, book } = await world(t);
  const email = 'ada@example.com';
  const person = await started.claimed(await started.agent(), email);
  const agent = await started.agent();
  const id = await book(agent.credential, 'b');
  await service.request(`/v1/workbooks/${id}/branches/main/ops`, {
    credential: agent.credential,
    body: { ops: Array.from({ length: 10 }, () => operation) },
  });
  started.clock.forward(61);
  const merged = await started.claimed(agent, email);
  for (const credential of [person.data.credential ?? '', merged.data.credential ?? '']) {
    const { json } = await service.request('/v1/account/usage', { credential });
    t.equal((json as Usage).usage.operations, 11, 'ten and the sheet');
  }
});

t.test('of two roles the higher stays, and an owner is listed once', async (t) => {
  const { started, service, book, give, people } = await world(t);
  const email = 'ada@example.com';
  const person = await started.claimed(await started.agent(), email);
  const personKey = person.data.credential ?? '';
  const personId = person.data.user_id ?? '';
  const third = await started.agent('third');
  const agent = await started.agent('merged');
  const [higher, lower] = [await book(third.credential, 'h'), await book(third.credential, 'l')];
  await give(third.credential, higher, personId, 'viewer');
  await give(third.credential, higher, agent.userId, 'editor');
  await give(third.credential, lower, personId, 'editor');
  await give(third.credential, lower, agent.userId, 'reviewer');
  const own = await book(personKey, 'own');
  await give(personKey, own, agent.userId, 'editor');
  const theirs = await book(agent.credential, 'theirs');
  await give(agent.credential, theirs, personId, 'viewer');
  started.clock.forward(61);
  await started.claimed(agent, email);
  t.same(await people(third.credential, higher), [`${third.userId} owner`, `${personId} editor`]);
  t.same(await people(third.credential, lower), [`${third.userId} owner`, `${personId} editor`]);
  t.same(await people(personKey, own), [`${personId} owner`]);
  t.same(await people(personKey, theirs), [`${personId} owner`]);
  t.match(await service.request(`/v1/workbooks/${theirs}`, { credential: personKey }), {
    status: 200,
  });
});

t.test('the owner behind a linked agent is listed once, whatever role they had', async (t) => {
  const { started, book, give, people } = await world(t);
  const email = 'ada@example.com';
  const person = await started.claimed(await started.agent(), email);
  const personId = person.data.user_id ?? '';
  const agent = await started.agent();
  const id = await book(agent.credential, 'b');
  await give(agent.credential, id, personId, 'viewer');
  started.clock.forward(61);
  const linked = await started.claimed(agent, email, true);
  t.same((await people(linked.data.credential ?? '', id)).toSorted(), [
    `${agent.userId} owner`,
    `${personId} owner`,
  ]);
});
