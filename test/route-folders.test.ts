import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

import type { Route } from '../server/http/route.ts';
import { anything } from './support/route-table.ts';
import { readSources, root } from './support/sources.ts';

/** The table of routes in docs/api.md names the folder whose code makes each of them. */

/** Folder by route; of several folders that hand a route on, the one that makes it. */
async function findFolders(): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const { path } of await readSources()) {
    if (!/^server\/.+\/(?:http|routes)\.ts$/.test(path)) continue;
    const folder = dirname(path).replace('server/', '');
    const built = pathToFileURL(join(root, 'build', path.replace(/\.ts$/, '.js')));
    const exported = (await import(built.href)) as Record<string, unknown>;
    for (const { method, path } of Object.entries(exported).flatMap(madeBy)) {
      const named = path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{rest}');
      const known = folders.get(`${method} ${named}`) ?? '';
      if (folder.length > known.length) folders.set(`${method} ${named}`, folder);
    }
  }
  return folders;
}

function madeBy([name, make]: [string, unknown]): Route[] {
  if (!/Routes?$/.test(name) || typeof make !== 'function') return [];
  const made = (make as (...services: unknown[]) => Route | Route[])(anything, anything, anything);
  return [made].flat();
}

t.test('docs/api.md names the folder that makes each route', async (t) => {
  const page = await readFile(join(root, 'docs/api.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[A-Z]+ \//.test(line));
  const folders = await findFolders();
  t.ok(rows.length > 90, 'the table is found');
  for (const row of rows) {
    const [route = '', , folder = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim().replaceAll('`', ''));
    t.equal(folder, folders.get(route), route);
  }
});
