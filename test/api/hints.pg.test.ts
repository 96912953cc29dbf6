import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Hints as whoever asked gets them: with the ids of their request, and addresses that answer. */

const unknown = `mrg_01${'0'.repeat(24)}`;

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
}

t.test('a hint names the workbook of the request, in whichever way it was named', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const { credential, id } = book;
  const about = await service.request(`/v1/workbooks/${id}`, { credential });
  const { namespace, name } = about.json as { namespace: string; name: string };
  const hintOf = async (path: string, body?: object): Promise<string> => {
    const answer = await service.request(path, { credential, ...(body && { body }) });
    t.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
    return (answer.json as Refused).hint;
  };
  for (const place of [`/v1/workbooks/${id}`, `/v1/${namespace}/${name}`]) {
    const at = `/v1/workbooks/${id}`;
    const branch = `${place}/branches/none`;
    t.match(await hintOf(`${branch}/state`), `GET ${at}/branches lists them`);
    t.match(await hintOf(`${branch}/ops`, { ops: [] }), /\w/u);
    t.match(await hintOf(`${place}/slice?ref=commit:none&range=A1`), `GET ${at}/commits lists`);
    t.match(await hintOf(`${place}/merges/none`), `GET ${at}/merges lists`);
    const applied = await hintOf(`${place}/slice?ref=merge:${unknown}&range=A1`);
    t.match(applied, `GET ${at}/merges lists`);
  }
});

t.test('a CSV of rows that is no text is told what is', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const table = { name: 'Prices', keyColumn: 'sku', schema: { sku: 'text' } };
  t.equal((await book.ask('/branches/main/tables', { body: table })).status, 201);
  const answer = await book.ask('/branches/main/tables/Prices/rows?mode=upsert', {
    method: 'POST',
    bytes: Buffer.from('sku\na\0b\n'),
    headers: { 'content-type': 'text/csv' },
  });
  t.match(answer, { status: 400, json: { code: 'invalid_file', hint: /UTF-8/u } });
});

t.test('a document that a hint names is at the address that it says', async (t) => {
  const service = await TestService.start(t);
  const { json, status } = await service.request('/v1/tlog/tile/0/0', {});
  t.equal(status, 404);
  const { hint } = json as Refused;
  const [address = ''] = /https?:\S+\.md/u.exec(hint) ?? [];
  const page = await service.request(new URL(address).pathname, {});
  t.match(page, { status: 200, text: /^# / });
});

t.test('a body of something that JSON does not have is told what to send', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const send = (type: string, bytes: Uint8Array) =>
    book.ask('/branches/main/ops', { method: 'POST', bytes, headers: { 'content-type': type } });
  const texts = [
    '{"writer":"w","baseSeq":1e400,"ops":[]}',
    '{"writer":"w","__proto__":1,"ops":[]}',
  ];
  for (const text of texts) {
    const { status, json } = await send('application/json', Buffer.from(text));
    t.match({ status, json }, { status: 400, json: { code: 'invalid_json', hint: /\w/u } }, text);
  }
  // A number that is none, and a point in time.
  for (const bytes of ['cb7ff8000000000000', 'd6ff00000000']) {
    const { status, json } = await send('application/msgpack', Buffer.from(bytes, 'hex'));
    const told = { status: 400, json: { code: 'invalid_msgpack', hint: /\w/u } };
    t.match({ status, json }, told, bytes);
  }
});
