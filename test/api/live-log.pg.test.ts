import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { WebSocket } from 'ws';

import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

async function post(url: string, body: object, credential = ''): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${credential}` };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

t.test('the client of a hello is logged, and all limits are told', async (t) => {
  const settings = { ...(await sharedSettings(t)), LOG_LEVEL: 'debug' };
  const folder = await makeTemporaryFolder(t);
  const { url, logLines } = await ServiceProcess.start(t, folder, settings, doubleProgram);
  const agent = await post(`${url}/agent/auth`, { type: 'anonymous' });
  const { credential } = (agent as { data: { credential: string } }).data;
  const { id } = (await post(`${url}/v1/workbooks`, { name: 'b' }, credential)) as { id: string };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/workbooks/${id}/ws`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  t.teardown(() => socket.close());
  await once(socket, 'open');
  const client = { name: 'tester', version: '7' };
  socket.send(JSON.stringify({ kind: 'hello', protocol: 1, client }));
  const [data] = (await once(socket, 'message')) as [Buffer];
  t.match(JSON.parse(data.toString()), {
    kind: 'presence_snapshot',
    limits: {
      frameBytes: 1 << 20,
      depth: 32,
      presenceBytes: 2048,
      idBytes: 64,
      writerCharacters: 128,
    },
  });
  const find = () => logLines.find((line) => line.includes('a socket said hello'));
  for (let count = 0; count < 100 && find() === undefined; count++) await sleep(20);
  t.match(JSON.parse(find() ?? '{}'), { workbookId: id, branch: 'main', client });
});
