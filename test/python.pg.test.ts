import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

import { isLeftOut } from './support/outside-program.ts';
import { root } from './support/sources.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { TestService } from './support/test-service.ts';

const run = promisify(execFile);
const linesMost = 300;

const hasPython = await run('python3', [
  '-c',
  'import sys; assert sys.version_info >= (3, 9)',
]).then(
  () => true,
  () => false,
);
const missing = hasPython ? undefined : 'python3 (3.9 or newer) is not there';

async function program(folder: string, text: string): Promise<string> {
  await cp(join(root, 'client/python/quire.py'), join(folder, 'quire.py'));
  await writeFile(join(folder, 'program.py'), text);
  const { stdout } = await run('python3', ['-W', 'error', 'program.py'], { cwd: folder });
  return stdout;
}

t.test('every block of the page runs, and the file is short', async (t) => {
  if (isLeftOut(t, missing)) return;
  const folder = await makeTemporaryFolder(t);
  const { url } = await TestService.start(t, {}, {});
  const page = await readFile(join(root, 'docs/python.md'), 'utf8');
  const blocks = [...page.matchAll(/```python\n([^]*?)```/g)].map((match) => match[1]);
  t.ok(blocks.length >= 7);
  const text = blocks.join('\n').replace('http://127.0.0.1:8080', url);
  t.equal(await program(folder, `${text}\nprint("done")`), 'done\n');
  const file = await readFile(join(root, 'client/python/quire.py'), 'utf8');
  t.ok(file.split('\n').length <= linesMost + 1);
});

t.test('what is no service is told, and what may pass is tried again', async (t) => {
  if (isLeftOut(t, missing)) return;
  const folder = await makeTemporaryFolder(t);
  let asked = 0;
  const keys = new Set<unknown>();
  const server = createServer((request, response) => {
    asked++;
    keys.add(request.headers['idempotency-key']);
    if (request.url === '/page') {
      response.setHeader('content-type', 'text/html').end('<html>');
    } else if (asked < 3) {
      response.writeHead(503, { 'content-type': 'application/problem+json' });
      response.end('{"code": "unavailable", "detail": "Not now."}');
    } else response.end('{"id": "wb_1"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = `
from quire import Problem, Quire
quire = Quire("${url}", "wbk_test_secret", retries=2)
print(quire.create().id)
for failing, path in [(quire, "/page"), (Quire("http://127.0.0.1:9", retries=0), "/")]:
    try:
        failing.call("GET", path)
    except Problem as problem:
        print(problem.code, problem.hint)
`;
  const [id, page, nobody] = (await program(folder, text)).split('\n');
  t.equal(id, 'wb_1');
  t.match(page, /^not_the_service Check the address/);
  t.match(nobody, /^unreachable Check the address/);
  t.equal(asked, 4);
  t.equal(keys.size, 2, 'one key for all tries of a call');
});
