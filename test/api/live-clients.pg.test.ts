import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { WebSocket } from 'undici';

import { Book } from '../support/book.ts';
import { isLeftOut } from '../support/outside-program.ts';
import { TestService } from '../support/test-service.ts';

/** Clients that nobody here wrote, beside npm's ws, by which all other tests talk. */

const run = promisify(execFile);

function urlOf(book: Book): string {
  return `${book.service.url.replace('http', 'ws')}/v1/workbooks/${book.id}/ws?branch=main`;
}

t.test('the WebSocket of browsers, by undici, with a key as a subprotocol', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const bearer = `auth.bearer.${Buffer.from(book.credential).toString('base64url')}`;
  const socket = new WebSocket(urlOf(book), ['workbook.v1.json', bearer]);
  const messages: { kind: string; status?: string; head: number }[] = [];
  const ended = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  socket.addEventListener('open', () => {
    t.equal(socket.protocol, 'workbook.v1.json');
    socket.send(JSON.stringify({ kind: 'hello', protocol: 1, lastSeq: null }));
  });
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as (typeof messages)[number];
    messages.push(message);
    const payload = { sheet: 'Sheet1', cells: [{ a1: 'A1', input: 'undici' }] };
    const ops = [{ id: 'u-1', kind: 'cells.set', payload }];
    const submission = { kind: 'submit_ops', submission: 's', baseSeq: message.head, ops };
    if (message.kind === 'presence_snapshot') socket.send(JSON.stringify(submission));
    else if (message.kind === 'ack') socket.close(1000, 'done');
  });
  t.equal(await ended, 1000);
  t.match(messages.at(-1), { kind: 'ack', status: 'applied' });
});

for (const library of ['websockets', 'websocket'] as const) {
  const name = `Python's ${library}`;
  t.test(name, async (t) => {
    if (isLeftOut(t, await missing(library))) return;
    const service = await TestService.start(t);
    const book = await Book.create(service);
    const script = new URL(
      'test/support/websocket-client.py',
      import.meta.resolve('#package.json'),
    );
    const asked = [fileURLToPath(script), library, urlOf(book), book.credential, library];
    const { stdout } = await run('python3', asked, { timeout: 20_000 });
    t.same(JSON.parse(stdout), ['presence_snapshot', 'applied', 2]);
  });
}

/** Why a library of Python cannot be tried here. */
async function missing(library: string): Promise<string | undefined> {
  try {
    await run('python3', ['-c', `import ${library}`], { timeout: 20_000 });
    return undefined;
  } catch (error) {
    const hasPython = !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
    return hasPython ? `python3 has no module ${library}` : 'there is no python3';
  }
}
