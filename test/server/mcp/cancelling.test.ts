import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import type { Catalogue, Tool } from '../../../server/mcp/catalogue.ts';
import type { McpCall } from '../../../server/mcp/context.ts';
import { McpServer } from '../../../server/mcp/server.ts';
import { Failure } from '../../../server/model/failure.ts';
import { realEnvironment, testPrincipal } from '../../support/edge-server.ts';
import { lastingRights } from '../../support/lasting-rights.ts';

/** A tool that is done when somebody has cancelled it. */
const patient: Tool = {
  name: 'patient',
  listed: { name: 'patient' },
  headers: [],
  call: async (_given, { signal }) => {
    for (let count = 0; count < 200 && !signal.aborted; count++) await sleep(5);
    return { content: [{ type: 'text', text: signal.aborted ? 'cancelled' : 'done' }] };
  },
};

const catalogue: Catalogue = {
  tools: [patient],
  prompts: [],
  resources: {
    templates: [],
    list: async () => [],
    read: async () => undefined,
    watch: async () => undefined,
    mayStillRead: async () => true,
  },
  complete: async () => [],
};

function call(body: unknown, given: Partial<McpCall> = {}): McpCall {
  return {
    body,
    principal: testPrincipal,
    address: '::1',
    requestId: 'req_1',
    draw: () => undefined,
    header: () => undefined,
    signal: new AbortController().signal,
    ...given,
  };
}

const calling = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'patient' } };

function newServer(): McpServer {
  return new McpServer({
    catalogue,
    rights: lastingRights,
    environment: realEnvironment,
    info: { name: 'test', version: '1' },
    instructions: '',
    failureOf: (cause) => new Failure('internal', { cause }),
    report: () => undefined,
  });
}

const cancelled = { message: { result: { content: [{ text: 'cancelled' }] } } };

t.test('a request is cancelled by its id, and by nobody else', async (t) => {
  const server = newServer();
  const answer = server.post(call(calling));
  await sleep(10);
  const cancel = (requestId: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });
  const stranger = { ...testPrincipal, credentialId: 'crd_OTHER' };
  t.same(await server.post(call(cancel(7), { principal: stranger })), { status: 202 });
  t.same(await server.post(call(cancel(8))), { status: 202 });
  t.same(await server.post(call(cancel({}))), { status: 202 });
  let isOver = false;
  void answer.then(() => (isOver = true));
  await sleep(30);
  t.notOk(isOver, 'it is still under way');
  t.same(await server.post(call(cancel(7))), { status: 202 });
  t.match(await answer, cancelled);
});

t.test('a request is cancelled when its client goes', async (t) => {
  const controller = new AbortController();
  const answer = newServer().post(call(calling, { signal: controller.signal }));
  await sleep(10);
  controller.abort();
  t.match(await answer, cancelled);
});
