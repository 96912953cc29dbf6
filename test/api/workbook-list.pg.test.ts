import t from 'tap';

import { claim, claimedAgent, newEmail, unclaimedAgent } from '../support/claimed-agent.ts';
import { TestService } from '../support/test-service.ts';

/** A list of workbooks says of each how far it is, how full, and what the reader may do in it. */

interface Listed {
  readonly id: string;
  readonly cells?: number;
}

t.test('a list says what a reader may do, and through which agent', async (t) => {
  const service = await TestService.start(t);
  const { url } = service;
  const email = newEmail();
  const person = await claimedAgent(url, { email, link: false });
  const agent = await unclaimedAgent(url);
  const linked = await claim(url, agent, { email, link: true });
  const stranger = await service.register();
  const make = async (credential: string, name: string) => {
    const sheets = [{ name: 'Plan', rows: [['Rent', 1200, '=B1']] }];
    const body = { name, sheets };
    const made = await service.request('/v1/workbooks', { credential, body });
    return (made.json as { id: string }).id;
  };
  const own = await make(person.credential, 'own');
  const ofAgent = await make(linked.credential, 'of an agent');
  const shared = await make(stranger, 'shared');
  await service.request(`/v1/workbooks/${shared}/collaborators/${person.userId}`, {
    credential: stranger,
    method: 'PUT',
    body: { role: 'viewer' },
  });
  const list = async (credential: string) => {
    const answer = await service.request('/v1/workbooks', { credential });
    return (answer.json as { workbooks: readonly Listed[] }).workbooks;
  };
  const byPerson = await list(person.credential);
  t.match(byPerson, [
    { id: shared, role: 'viewer', head: 2, ownerId: /^agt_/u },
    { id: ofAgent, role: 'owner', head: 2, viaAgent: String, ownerId: linked.userId },
    { id: own, role: 'owner', head: 2 },
  ]);
  t.same(
    byPerson.map((one) => 'viaAgent' in one),
    [false, true, false],
    'only what an agent of the reader owns',
  );
  t.match(await list(linked.credential), [{ id: ofAgent, role: 'owner' }]);
  const get = async (id: string) =>
    (await service.request(`/v1/workbooks/${id}`, { credential: person.credential })).json;
  t.match(await get(shared), { role: 'viewer' });
  t.match(await get(ofAgent), { role: 'owner' });

  const path = `/v1/workbooks/${shared}`;
  const before = await service.request(path, { credential: person.credential });
  const headers = { 'if-none-match': before.headers.get('etag') ?? '' };
  const again = await service.request(path, { credential: person.credential, headers });
  t.equal(again.status, 304);
  await service.request(`/v1/workbooks/${shared}/collaborators/${person.userId}`, {
    credential: stranger,
    method: 'PUT',
    body: { role: 'editor' },
  });
  const after = await service.request(path, { credential: person.credential, headers });
  t.match(after, { status: 200, json: { role: 'editor' } }, 'another role is another answer');
});

t.test('a list says how many cells are filled, once they are counted', async (t) => {
  const service = await TestService.start(t, { RATE_LIMITS: 'on' });
  const credential = await service.register();
  const body = { name: 'full', sheets: [{ name: 'Plan', rows: [['Rent', 1200, '=B1']] }] };
  await service.request('/v1/workbooks', { credential, body });
  let cells: number | undefined;
  for (let tries = 0; tries < 200 && cells === undefined; tries++) {
    const { json } = await service.request('/v1/workbooks', { credential });
    cells = (json as { workbooks: readonly Listed[] }).workbooks[0]?.cells;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.equal(cells, 3);
});
