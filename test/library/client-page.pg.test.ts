import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { root } from '../support/sources.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

const run = promisify(execFile);

t.test('every block of the page runs', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const { url } = await TestService.start(t, {}, {});
  const page = await readFile(join(root, 'docs/client.md'), 'utf8');
  const blocks = [...page.matchAll(/^```js\n([^]*?)^```/gm)].map(([, text]) => text);
  t.ok(blocks.length >= 10);
  const library = join(folder, 'node_modules/quire-client');
  await mkdir(library, { recursive: true });
  await symlink(join(root, 'node_modules/ws'), join(folder, 'node_modules/ws'));
  const exported = JSON.stringify(join(root, 'build/client/library/quire.js'));
  await writeFile(join(library, 'quire.js'), `export * from ${exported};`);
  await cp(join(root, 'client/library/package.json'), join(library, 'package.json'));
  const text = blocks.join('\n').replaceAll('http://127.0.0.1:8080', url);
  await writeFile(
    join(folder, 'page.mjs'),
    `${text}\nprocess.stdout.write([status, seq, sum].join(" "));`,
  );
  const { stdout } = await run(process.execPath, ['page.mjs'], { cwd: folder });
  t.match(stdout, "[ { sheet: 'Plan', a1: 'C1', before: 5, after: 6 } ]");
  t.match(stdout, "[ 'applied', 'applied', 'applied' ]");
  t.match(stdout, /^merged$/m);
  t.match(stdout, /^true sheet_not_found$/m);
  t.match(stdout, /^applied \d+ \d/m);
});

t.test('README.md leads to the pages of the clients', async (t) => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  for (const name of ['guide', 'client', 'cli', 'python']) {
    t.match(readme, `(docs/${name}.md)`, name);
  }
});
