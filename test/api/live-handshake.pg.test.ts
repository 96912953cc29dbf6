import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, refusalOf, setCell } from '../support/live-client.ts';
import { refusedHandshake } from '../support/refused-handshake.ts';
import { TestService } from '../support/test-service.ts';

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

t.test('a credential is shown in any of three ways', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const bearer = `auth.bearer.${base64url(book.credential)}`;
  const shown = await LiveClient.join(book, { protocols: ['workbook.v1.json', bearer] });
  t.equal(shown.socket.protocol, 'workbook.v1.json', 'the credential is not echoed');
  t.match(shown.snapshot, { you: { role: 'owner', scopes: ['read', 'write'] } });
  const ticketOf = async (body: object) => {
    const answer = await book.ask('/ws-ticket', { body });
    t.match(answer, { status: 201, json: { ticket: /^[\w-]{43}$/, expires_in: 60 } });
    return (answer.json as { ticket: string }).ticket;
  };
  const ticket = await ticketOf({ branch: 'main' });
  const protocols = ['workbook.v1.json', `auth.ticket.${base64url(ticket)}`];
  const opened = await LiveClient.join(book, { protocols });
  t.equal((await opened.submit([setCell('A1', 1)]))['status'], 'applied', 'with all rights');
  t.equal(await refusalOf(LiveClient.open(book, { protocols })), 401, 'a ticket works once');
  const used = `${service.url}/v1/workbooks/${book.id}/ws?ticket=${ticket}`;
  const next = new RegExp(`^POST /v1/workbooks/${book.id}/ws-ticket`, 'u');
  t.match(await refusedHandshake(used), { status: 401, json: { hint: next } });
  const path = `/v1/workbooks/${book.id}/ws?branch=main&ticket=`;
  const inQuery = await LiveClient.join(book, { path: path + (await ticketOf({})) });
  t.match(inQuery.snapshot, { branch: 'main' });
  t.equal(await refusalOf(LiveClient.open(book, { path: `${path}nonsense` })), 401);
  await book.ask('/branches', { body: { name: 'side' } });
  const elsewhere = path.replace('main', 'side') + (await ticketOf({ branch: 'main' }));
  t.equal(await refusalOf(LiveClient.open(book, { path: elsewhere })), 401, 'it is for one branch');
  const { namespace, name } = book;
  const second = await LiveClient.join(book, { path: `/v1/${namespace}/${name}/ws?branch=side` });
  t.match(second.snapshot, { branch: 'side' }, 'the second addressing leads there, too');
  const stranger = await service.register();
  t.equal((await book.ask('/ws-ticket', { body: { branch: 'none' } })).status, 404);
  const foreign = await service.request(`/v1/workbooks/${book.id}/ws-ticket`, {
    credential: stranger,
    body: {},
  });
  t.equal(foreign.status, 404);
});

t.test('a handshake that cannot be agreed to is answered as any request', async (t) => {
  const service = await TestService.start(t, { ALLOWED_ORIGINS: 'https://app.example.com' });
  const book = await Book.create(service);
  const path = `/v1/workbooks/${book.id}/ws`;
  const cases: [number, Parameters<typeof LiveClient.open>[1]][] = [
    [400, { path: `${path}?branch=-a` }],
    [400, { path: `${path}?brunch=main` }],
    [401, { credential: 'nonsense' }],
    [401, { protocols: ['workbook.v1.json', 'auth.bearer.bm9uZQ'] }],
    [404, { branch: 'none' }],
    [404, { path: '/v1/workbooks/wb_01JD2Q0A000000000000000000/ws?branch=main' }],
    [404, { credential: await service.register() }],
    [426, { protocols: ['chat'] }],
    [426, { protocols: [`auth.bearer.${base64url(book.credential)}`] }],
    [403, { headers: { origin: 'https://evil.example' } }],
    [101, { headers: { origin: 'https://app.example.com' } }],
    [101, { headers: { origin: service.url } }],
  ];
  for (const [status, options] of cases) {
    t.equal(await refusalOf(LiveClient.open(book, options)), status, JSON.stringify(options));
  }
  const plain = await book.ask('/ws?branch=main');
  t.match(plain, { status: 426, json: { code: 'upgrade_required' } });
  t.equal(plain.headers.get('upgrade'), 'websocket');
  const other = await refusalOf(LiveClient.open(book, { path: '/health' }));
  t.equal(other, 200, 'other routes answer as if nothing had been asked');
});

t.test('what breaks the protocol ends the socket with its code', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const hello = { kind: 'hello', protocol: 1, writer: 'w', lastSeq: null };
  const deep = `{"kind":"hello","protocol":1,"x":${'['.repeat(40)}${']'.repeat(40)}}`;
  const big = { kind: 'presence_update', presence: { label: 'x'.repeat(2_000) } };
  const cases: [number, (string | Buffer)[]][] = [
    [4400, ['no JSON']],
    [4400, ['[]']],
    [4400, ['{"kind":"chat"}']],
    [4400, ['{"kind":"presence_update","presence":{}}']],
    [4400, [JSON.stringify({ ...hello, lastSeq: -1 })]],
    [4400, [JSON.stringify({ ...hello, lastHash: 'short' })]],
    [4400, [JSON.stringify({ ...hello, presence: { viewport: { sheet: 'S', range: 'foo' } } })]],
    [4400, [deep]],
    [4400, [Buffer.from(JSON.stringify(hello))]],
    [4400, [JSON.stringify(hello), JSON.stringify({ kind: 'submit_ops', ops: [] })]],
    [4400, [JSON.stringify(hello), JSON.stringify(big)]],
    [4426, [JSON.stringify({ ...hello, protocol: 2 })]],
    [1009, [JSON.stringify({ ...hello, x: 'x'.repeat(1 << 20) })]],
  ];
  for (const [code, frames] of cases) {
    const client = await LiveClient.open(book);
    for (const frame of frames) client.socket.send(frame);
    const closed = await client.closed;
    t.match(closed, { code }, String(frames.at(-1)).slice(0, 60));
    t.notMatch(JSON.stringify(closed), /Invalid input|expected/u, 'it is said in words of our own');
  }
  const tolerant = await LiveClient.join(book, { hello: { later: { version: 9 } } });
  t.equal(await tolerant.settled(), tolerant.snapshot['head'], 'unknown members are passed over');
});
