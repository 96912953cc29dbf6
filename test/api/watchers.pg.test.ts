import { connect } from 'node:net';
import t from 'tap';
import { quietPort } from '../support/quiet-port.ts';
import { sendRaw } from '../support/raw-http.ts';
import { TestService } from '../support/test-service.ts';

/** Balancers and watchers ask by address, and some of them in HTTP/1.0. */

const paths = ['/health', '/ready', '/metrics'];

t.test('whatever Host says, the process tells how it is', async (t) => {
  const { app } = await TestService.start(t, { BASE_URL: 'https://quire.example' });
  const port = app.ports.api;
  for (const path of paths) {
    for (const host of ['10.1.2.3:8080', 'balancer.internal', 'quire.example', '[fd00::1]:80']) {
      const answer = await sendRaw(port, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
      // Metrics are for this machine alone, and asked for by its own names.
      const status = path === '/metrics' ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 200 /;
      t.match(answer, status, `${path} for ${host}`);
    }
  }
  const other = await sendRaw(port, ['GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\n\r\n']);
  t.match(other, /^HTTP\/1\.1 421 /);
});

t.test('a door of their own understands HTTP/1.0', async (t) => {
  const port = await quietPort();
  await TestService.start(t, { LISTEN_HEALTH: String(port) });
  for (const path of paths) {
    t.match(await ask(port, `GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /, path);
  }
  t.match(await ask(port, 'HEAD /ready HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  t.match(await ask(port, 'GET /v1/workbooks HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 404 /);
  t.match(await ask(port, 'POST /ready HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 405 /);
});

/** All that is sent until the other side closes, as it does after an answer to HTTP/1.0. */
function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}
