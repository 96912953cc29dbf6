import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';

import { TestService } from './support/test-service.ts';

/** The documents say what the code does, and all of it. */

const root = import.meta.resolve('#package.json');

async function readText(path: string): Promise<string> {
  return readFile(new URL(path, root), 'utf8');
}

/** Returns the code in the first column of a page's tables; a cell may hold several. */
function firstColumn(markdown: string): string[] {
  return markdown.split('\n').flatMap((line) => {
    const cell = /^\| *(`[^|]+`) *\|/.exec(line)?.[1] ?? '';
    return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  });
}

t.test('docs/settings.md has the settings that are read, and no others', async (t) => {
  const config = await readText('server/config.ts');
  const read = [...config.matchAll(/\(settings, '([A-Z_]+)'/g)].map((match) => match[1] ?? '');
  t.ok(read.length > 15, 'the settings are found in the code');
  const documented = firstColumn(await readText('docs/settings.md'));
  t.same(documented.toSorted(), [...new Set(read)].toSorted());
});

/** `/v1/workbooks/{id}/slice` as a test writes it: parameters filled in, a query behind it. */
function pathPattern(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/\\s\'"`]+');
  return new RegExp(`${escaped}(?=[\\s?'"\`])`);
}

t.test('docs/api.md and the tests know every route, and no others', async (t) => {
  const service = await TestService.start(t);
  const { json } = await service.request('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, unknown>> };
  const served = Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => method in item)
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.ok(served.length > 15, 'the reference has routes');
  const documented = firstColumn(await readText('docs/api.md'));
  const routes = documented.filter((text) => /^[A-Z]+ \//.test(text));
  t.same(routes.toSorted(), served.toSorted());
  const folder = new URL('test/api/', root);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  const tests = await Promise.all(names.map((name) => readText(`test/api/${name}`)));
  t.same(
    Object.keys(paths).filter((path) => !tests.some((text) => pathPattern(path).test(text))),
    [],
    'every route is asked for by a test of test/api',
  );
});

t.test('documents name files and pages that are there', async (t) => {
  const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md', 'docs/kernel.md'];
  for (const page of pages) {
    const text = await readText(page);
    const named = [
      ...text.matchAll(/`((?:server|workers|assembly|bench|test)\/[a-z0-9/.-]+\.ts)`/g),
    ];
    for (const [, path = ''] of named) await t.resolves(readText(path), `${page} names ${path}`);
  }
});
