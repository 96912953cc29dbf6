import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

type Item = Readonly<
  Record<
    string,
    {
      readonly requestBody?: {
        readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
      };
    }
  >
>;

/** Returns the parts of an answer that do not differ from one request to the next. */
function gist({ status, json }: { status: number; json: unknown }): unknown {
  const { requestId: _requestId, ...rest } = (json ?? {}) as Record<string, unknown>;
  return { status, code: rest['code'], members: Object.keys(rest).toSorted() };
}

t.test('every route of a workbook answers the same under its second address', async (t) => {
  const service = await TestService.start(t, {}, {});
  const { paths } = (await service.request('/openapi.json')).json as {
    paths: Record<string, Item>;
  };
  let count = 0;
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/v1/workbooks/{id}')) continue;
    for (const [method, { requestBody }] of Object.entries(item)) {
      // A workbook each, so that what one request does is not in the way of the other.
      const first = await Book.create(service);
      const second = await Book.create(service, { name: `a book ${++count} & more` });
      const rest = path
        .slice('/v1/workbooks/{id}'.length)
        .replace('{branch}', 'main')
        .replaceAll(/\{\w+\}/g, 'x1');
      const needed = [
        [/^\/(?:slice|formats|blame)$/u, '?range=A1'],
        [/^\/(?:diff|tables\/x1\/changes)$/u, '?from=main'],
        [/^\/find$/u, '?q=x1'],
        [/^\/edge$/u, '?cell=A1&direction=down'],
      ] as const;
      const query = needed.find(([pattern]) => pattern.test(rest))?.[1] ?? '';
      const body = requestBody?.content['application/json']?.example;
      const options = {
        method: method.toUpperCase(),
        ...(body !== undefined && { body }),
      };
      const byId = await first.ask(rest + query, options);
      const address = `/v1/${second.namespace}/${encodeURIComponent(second.name)}`;
      const { credential } = second;
      const asked = { ...options, credential };
      const byName = await service.request(`${address}${rest}${query}`, asked);
      t.same(gist(byName), gist(byId), `${method.toUpperCase()} ${path} answers ${byId.status}`);
      t.ok(byId.status < 500);
      const nowhere = `/v1/${second.namespace}/nothing${rest}${query}`;
      const wrong = await service.request(nowhere, asked);
      t.match(wrong, { status: 404, json: { detail: /owner and name/ } });
    }
  }
  t.ok(count > 15, `${count} routes`);
});

t.test('a workbook is archived, restored, renamed and purged by its second address', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service, {
    name: 'Ä b',
    credential: await service.registerClaimed(),
  });
  const { credential, namespace, id } = book;
  const path = `/v1/${namespace}/%C3%84%20b`;
  const ask = (at: string, method: string, body?: object) =>
    service.request(at, { credential, method, ...(body && { body }) });
  t.match((await ask(path, 'DELETE')).json, { id, state: 'archived' });
  t.match((await ask(`${path}/restore`, 'POST')).json, { id, state: 'active' });
  t.match((await ask(path, 'PATCH', { name: 'c' })).json, { id, name: 'c' });
  t.match(await ask(path, 'DELETE'), { status: 404 });
  const renamed = `/v1/${namespace}/c`;
  const { confirm } = (await ask(renamed, 'DELETE')).json as { confirm: string };
  t.match(await ask(`${renamed}?purge=true&confirm=${confirm}`, 'DELETE'), {
    status: 200,
    json: { id, state: 'removed' },
  });
  t.match(await ask(renamed, 'GET'), { status: 404 });
});
