import { readdir } from 'node:fs/promises';
import t from 'tap';

import { operationGuide } from '../../server/model/operation-guide.ts';
import { rejections } from '../../server/model/rejection.ts';
import { TestService } from '../support/test-service.ts';

t.test('whoever knows nothing but the address finds everything from there', async (t) => {
  const service = await TestService.start(t);
  const { url } = service;
  const root = await service.request('/', { headers: { accept: '*/*' } });
  t.match(root, { status: 200, json: { name: 'Quire' } });
  const { links } = root.json as { links: Record<string, string> };
  t.match(root.headers.get('link'), `<${url}/openapi.json>; rel="service-desc"`);
  for (const name of ['llms', 'openapi', 'docs', 'health', 'ready', 'authMd']) {
    t.equal((await fetch(links[name] ?? '')).status, 200, name);
  }
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const page = await fetch(url, { headers, redirect: 'manual' });
  t.match([page.status, page.headers.get('location')], [303, `${url}/console`]);
});

t.test('every page of docs/ is served and named in llms.txt, with all kinds', async (t) => {
  const service = await TestService.start(t);
  const { text: llms } = await service.request('/llms.txt');
  const names = await readdir(new URL('docs/', import.meta.resolve('#package.json')));
  for (const name of names.filter((one) => one.endsWith('.md') && one !== 'auth.md')) {
    t.match(llms, `${service.url}/docs/${name}`, name);
    const answer = await service.request(`/docs/${name}`);
    t.match(answer, { status: 200, text: /^# / }, name);
    t.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8');
  }
  for (const kind of Object.keys(operationGuide)) t.match(llms, `- ${kind}: `);
  t.match(await service.request('/docs/none.md'), {
    status: 404,
    json: { hint: /operations\.md/ },
  });
  t.equal((await service.request('/docs/..%2fpackage.json')).status, 404);
});

t.test('every code of a rejected operation has its page', async (t) => {
  const service = await TestService.start(t);
  for (const code of Object.keys(rejections)) {
    const answer = await service.request(`/problems/${code}`);
    t.equal(answer.status, 200, code);
    t.match(answer.text, `<h1><code>${code}</code></h1>`);
  }
});

interface Parameter {
  readonly name: string;
  readonly description?: string;
}

t.test(
  'openapi describes every parameter, every operation and every group of routes',
  async (t) => {
    const service = await TestService.start(t);
    const { json } = await service.request('/openapi.json');
    const { paths, tags, components } = json as {
      paths: Record<
        string,
        Record<string, { description?: string; parameters?: (Parameter | { $ref: string })[] }>
      >;
      components: { parameters: Record<string, Parameter> };
      tags: { name: string; description?: string }[];
    };
    for (const { name, description } of tags) t.ok(description, name);
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { description, parameters = [] }] of Object.entries(item)) {
        t.match(description, /^\S.{15,}\.$/su, `${method} ${path}`);
        for (const given of parameters) {
          const named = '$ref' in given ? given.$ref.split('/').at(-1) : undefined;
          const parameter = '$ref' in given ? components.parameters[named ?? ''] : given;
          t.ok(parameter?.description, `${parameter?.name} of ${path}`);
        }
      }
    }
  },
);

t.test('openapi names the schema of every kind, with what it does and an example', async (t) => {
  const service = await TestService.start(t);
  const { json, text } = await service.request('/openapi.json');
  const { schemas } = (json as { components: { schemas: Record<string, object> } }).components;
  for (const [kind, { does, example }] of Object.entries(operationGuide)) {
    const name = kind
      .split('.')
      .map((word) => (word[0] ?? '').toUpperCase() + word.slice(1))
      .join('');
    const properties = { kind: { const: kind }, payload: { examples: [example] } };
    t.match(schemas[name], { description: does, properties }, kind);
  }
  const bytes = Buffer.byteLength(text);
  t.ok(bytes < 260_000, `the document has ${bytes} bytes`);
});

t.test('openapi names every type that Accept can choose', async (t) => {
  const service = await TestService.start(t);
  const { json } = await service.request('/openapi.json');
  const { paths, components } = json as Described;
  const typesOf = (path: string, method = 'get'): string[] => {
    const given = paths[path]?.[method]?.responses['200'] ?? {};
    const name = given.$ref?.split('/').at(-1) ?? '';
    return Object.keys(
      (given.$ref === undefined ? given : components.responses[name])?.content ?? {},
    );
  };
  const book = '/v1/workbooks/{id}';
  const [lines, csv, arrow] = [
    'application/x-ndjson',
    'text/csv',
    'application/vnd.apache.arrow.stream',
  ];
  for (const [path, types] of [
    [`${book}/diff`, [lines, csv, 'text/x-diff']],
    [`${book}/merges`, [lines]],
    [`${book}/tables/{tid}/rows`, [lines, csv, arrow]],
    [`${book}/tables/{tid}/changes`, [lines, 'text/event-stream']],
    [`${book}/matches/{mid}`, [lines, csv, arrow]],
    ['/', ['application/json']],
    ['/.well-known/oauth-authorization-server', ['application/json']],
    ['/.well-known/oauth-protected-resource', ['application/json']],
  ] as const) {
    const known = typesOf(path).map((type) => type.split(';')[0]);
    for (const type of types) t.ok(known.includes(type), `${path} as ${type}, of ${known.join()}`);
  }
  t.ok(typesOf('/mcp', 'post').includes('text/event-stream'));
});

interface Described {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, DescribedAnswer> }>
  >;
  readonly components: { readonly responses: Record<string, DescribedAnswer> };
}

interface DescribedAnswer {
  readonly $ref?: string;
  readonly content?: object;
}

t.test('a page of another origin reads what an export says beside the file', async (t) => {
  const service = await TestService.start(t);
  const headers = { origin: 'https://elsewhere.example' };
  const { headers: answered } = await service.request('/openapi.json', { headers });
  const exposed = answered.get('access-control-expose-headers')?.split(', ') ?? [];
  for (const name of ['ETag', 'Link', 'Content-Disposition', 'Dropped']) {
    t.ok(exposed.includes(name), name);
  }
});
