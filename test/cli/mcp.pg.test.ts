import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import t from 'tap';
import type { Test } from 'tap';

import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

/** `quire mcp`, as clients start it: the official one of both generations, and bare lines. */

const generations = { older: {}, newer: { versionNegotiation: { mode: 'auto' } } } as const;

const service = await TestService.start(t, {}, {});

async function signedIn(t: Pick<Test, 'teardown'>): Promise<QuireCommand> {
  const quire = await QuireCommand.at(t, service.url);
  await quire.text('login', '--anonymous');
  return quire;
}

/** A program that is told a line and asked for the next one. */
function speaking(t: Pick<Test, 'teardown'>, quire: QuireCommand, env: object = {}) {
  const child = spawn(process.execPath, [QuireCommand.main, 'mcp'], {
    env: { ...quire.environment, ...env },
  });
  t.teardown(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    say: (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`),
    next: async (): Promise<Record<string, unknown>> => {
      const { value } = (await lines.next()) as { value: string };
      return JSON.parse(value) as Record<string, unknown>;
    },
  };
}

for (const [name, options] of Object.entries(generations)) {
  t.test(`a client of the ${name} generation does its work through it`, async (t) => {
    const quire = await signedIn(t);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [QuireCommand.main, 'mcp'],
      env: quire.environment,
    });
    const client = new Client({ name: 'test', version: '1' }, options);
    await client.connect(transport);
    t.teardown(() => client.close());
    t.match(client.getServerVersion(), { name: 'quire' });
    const { tools } = await client.listTools();
    t.ok(tools.some((tool) => tool.name === 'range_write'));
    const call = async (tool: string, given: Record<string, unknown>) => {
      const answer = await client.callTool({ name: tool, arguments: given });
      return answer.structuredContent as Record<string, unknown>;
    };
    const { id } = await call('workbook_create', { name: `plan ${name}` });
    const writes = [{ range: 'A1', values: [[2, '=A1*2']] }];
    t.match(await call('range_write', { workbook: id, writes }), { ref: /^main@/ });
    const ö = await client.callTool({
      name: 'range_read',
      arguments: { workbook: 'ö', ranges: [] },
    });
    t.equal(ö.isError, true, 'what no header can hold is packed');
    t.match(await call('range_read', { workbook: id, ranges: ['A1:B1'] }), {
      ranges: [{ rows: [[2, 4]] }],
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    t.ok(resourceTemplates.length > 0);
    const { contents } = await client.readResource({ uri: 'doc://formulas' });
    t.ok(contents.length > 0);
  });
}

t.test('messages of a session come by themselves, and it ends with the client', async (t) => {
  const quire = await signedIn(t);
  const { child, say, next } = speaking(t, quire);
  const clientInfo = { name: 'lines', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  say({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  t.match(await next(), { id: 1, result: { protocolVersion: '2025-11-25' } });
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const book = await quire.text('new', 'watched');
  const uri = `wb://${book}/main/summary`;
  say({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } });
  t.match(await next(), { id: 2, result: {} });
  await quire.text('set', book, 'A1', '1');
  t.match(await next(), { method: 'notifications/resources/updated', params: { uri } });
  child.stdin.write('no message\n');
  t.match(await next(), { id: null, error: { code: -32_700 } });
  child.stdin.write('null\n');
  t.match(await next(), { id: null, error: { code: -32_600 } }, 'it goes on');
  say({ jsonrpc: '2.0', id: 'last', method: 'ping' });
  child.stdin.end();
  t.match(await next(), { id: 'last', result: {} }, 'it is answered before the end');
  const [code] = (await once(child, 'close')) as [number | null];
  t.equal(code, 0);
});

t.test('what is asked together is answered together', async (t) => {
  const quire = await signedIn(t);
  const { child, say, next } = speaking(t, quire);
  const clientInfo = { name: 'lines', version: '1' };
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
  say({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  t.match(await next(), { id: 1, result: { protocolVersion: '2025-03-26' } });
  say([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  t.match(await next(), [
    { id: 1, result: {} },
    { id: 2, result: {} },
  ]);
  child.stdin.end();
});

t.test('failures are told to the request that met them, without the key', async (t) => {
  const quire = await signedIn(t);
  const refused = speaking(t, quire, { QUIRE_KEY: 'wbk_live_wrong' });
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
  refused.say(list);
  const told = await refused.next();
  t.match(told, { id: 7, error: { code: -32_603, message: String } });
  t.notMatch(JSON.stringify(told), /wbk_live_wrong/);
  const proxied = [
    { status: 502, type: 'text/html', body: '<html>Bad gateway</html>' },
    { status: 200, type: 'text/html', body: '<html>Sign in</html>' },
    { status: 200, type: 'text/event-stream', body: 'data: {"jsonrpc":"2.0","id":8,"res' },
  ];
  const proxy = createServer((_, response) => {
    const { status, type, body } = proxied.shift() ?? { status: 500, type: '', body: '' };
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const behind = { QUIRE_URL: `http://127.0.0.1:${port}/prefix`, QUIRE_KEY: 'wbk_live_any' };
  const strange = speaking(t, quire, behind);
  strange.say(list);
  t.match(await strange.next(), { id: 7, error: { message: 'The service answered 502.' } });
  strange.say(list);
  t.match(await strange.next(), { id: 7, error: { message: /200 with text\/html/ } });
  strange.say(list);
  t.match(await strange.next(), { id: 7, error: { message: /before its end/ } });
  const nowhere = speaking(t, quire, { QUIRE_URL: 'http://127.0.0.1:9', QUIRE_KEY: 'x' });
  nowhere.say(list);
  t.match(await nowhere.next(), { id: 7, error: { message: /did not answer/ } });
  const stranger = await QuireCommand.at(t, service.url);
  t.match(await stranger.run(['mcp']), { code: 4, stderr: /not signed in/ });
});
