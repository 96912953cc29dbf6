import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';

import { quietPort } from '../support/quiet-port.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TurningProxy } from '../support/turning-proxy.ts';

/** The MCP server of two processes behind one address, which answer in turn. */

type Json = Readonly<Record<string, unknown>>;

const generations = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: 'auto' } },
} as const;

async function twoBehind(t: Test): Promise<TurningProxy> {
  const folder = await makeTemporaryFolder(t);
  const proxy = await TurningProxy.start(t);
  const shared = {
    ...(await sharedSettings(t)),
    BASE_URL: proxy.url,
    LOG_LEVEL: 'error',
    DEV_HOOKS: 'on',
    RATE_LIMITS: 'off',
  };
  const ports = [await quietPort(), await quietPort()];
  for (const port of ports) {
    await ServiceProcess.start(t, `${folder}/${port}`, { ...shared, PORT: String(port) });
  }
  proxy.ports = ports;
  return proxy;
}

async function connect(
  t: Test,
  url: string,
  { credential, version }: { credential: string; version: keyof typeof generations },
): Promise<Client> {
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const client = new Client({ name: 'test', version: '1' }, generations[version]);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  t.teardown(() => client.close());
  return client;
}

t.test('calls go on at whichever process they come to', async (t) => {
  const proxy = await twoBehind(t);
  const door = new ServiceDoor(proxy.url);
  const credential = await door.register();
  const stranger = await door.request('/mcp', { body: {} });
  t.equal(stranger.status, 401);
  const resource = `${proxy.url}/.well-known/oauth-protected-resource/mcp`;
  t.match(stranger.headers.get('www-authenticate'), resource, 'the address is that of the proxy');
  for (const version of Object.keys(generations) as (keyof typeof generations)[]) {
    const client = await connect(t, proxy.url, { credential, version });
    const call = async (name: string, given: Json): Promise<Json> => {
      const answer = await client.callTool({ name, arguments: given });
      t.not(answer.isError, true, JSON.stringify(answer.content));
      return answer.structuredContent as Json;
    };
    const { tools } = await client.listTools();
    t.equal(tools.length, 15);
    const rows = [[1, '=A1*2']];
    const { id: workbook } = await call('workbook_create', { sheets: [{ name: 'Plan', rows }] });
    for (let value = 2; value < 8; value++) {
      const write = { workbook, writes: [{ range: 'A1', values: [[value]] }] };
      const { ref } = await call('range_write', write);
      const read = await call('range_read', { workbook, ranges: ['A1:B1'] });
      t.match(read, { ref, ranges: [{ rows: [[value, value * 2]] }] });
    }
    if (version === '2026-07-28') t.ok(proxy.workbooks.includes(workbook as string));

    const uri = `wb://${String(workbook)}/main/summary`;
    const told = new Promise<unknown>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
        resolve(params),
      );
    });
    const stop = await subscribe(client, uri, version);
    // Whichever process is written to, the one that has the stream hears of it.
    let value = 100;
    const writing = setInterval(() => {
      void call('range_write', { workbook, writes: [{ range: 'A1', values: [[value++]] }] });
    }, 200);
    t.match(await told, { uri });
    clearInterval(writing);
    await stop();
  }
});

async function subscribe(
  client: Client,
  uri: string,
  version: keyof typeof generations,
): Promise<() => Promise<unknown>> {
  if (version === '2025-11-25') {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  }
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  return () => subscription.close();
}
