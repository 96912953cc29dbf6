import t, { type Test } from 'tap';
import { request as send } from 'undici';
import { z } from 'zod';

import { route } from '../../../server/http/route.ts';
import { Failure } from '../../../server/model/failure.ts';
import type { HeldRight } from '../../../server/model/rights.ts';
import { realEnvironment, startEdge } from '../../support/edge-server.ts';

/** An edge whose handlers take as long as a test says, by its clock, and whose rights it ends. */
async function slowEdge(t: Test, { admitMilliseconds = 0 } = {}) {
  const slow = { milliseconds: 0, isLost: false, handled: 0, checked: [] as HeldRight[] };
  let now = 1_000_000;
  const facts = { host: 'api', scope: 'read', tag: 'Test', summary: 'test' } as const;
  const responses = { 200: { description: 'ok' } };
  const request = { params: z.object({ id: z.string() }) };
  const path = '/v1/workbooks/:id/slice';
  const handler = () => {
    slow.handled++;
    now += slow.milliseconds;
    return { value: { answered: true } };
  };
  const admit = () => {
    now += admitMilliseconds;
  };
  const routes = [
    route({ ...facts, responses, request, method: 'GET', path, handler }),
    route({ ...facts, responses, request, method: 'POST', path, admit, handler }),
  ];
  const edge = await startEdge(t, routes, {
    environment: { ...realEnvironment, elapsed: () => now },
    rights: {
      check: async (held) => {
        slow.checked.push(held);
        if (slow.isLost) throw new Failure('notFound', { detail: 'You do not see it any more.' });
      },
      watch: () => () => undefined,
    },
  });
  const ask = async (method: 'GET' | 'POST') => {
    const headers = { authorization: 'Bearer good' };
    const answer = await send(`${edge.url}/v1/workbooks/wb_1/slice`, { method, headers });
    return [answer.statusCode, await answer.body.json()] as const;
  };
  return { slow, ask };
}

t.test('an answer that took long is not for somebody who lost the right meanwhile', async (t) => {
  const { slow, ask } = await slowEdge(t);
  slow.milliseconds = 2_000;
  t.match(await ask('GET'), [200, { answered: true }]);
  t.same(slow.checked, [{ authorization: 'Bearer good', workbookId: 'wb_1' }]);
  slow.isLost = true;
  t.match(await ask('GET'), [404, { detail: 'You do not see it any more.' }]);
  t.equal(slow.handled, 2);
});

t.test('a request without a body is not looked at twice, however long it waited', async (t) => {
  const { slow, ask } = await slowEdge(t, { admitMilliseconds: 2_000 });
  slow.isLost = true;
  t.match(await ask('POST'), [200, { answered: true }]);
  t.same(slow.checked, []);
});

t.test('what was done is told, and what took no time is not looked at again', async (t) => {
  const { slow, ask } = await slowEdge(t);
  slow.isLost = true;
  t.match(await ask('GET'), [200, { answered: true }]);
  slow.milliseconds = 2_000;
  t.match(await ask('POST'), [200, { answered: true }]);
  t.same(slow.checked, []);
});
