import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

import { isLeftOut } from './support/outside-program.ts';
import { root } from './support/sources.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { TestService } from './support/test-service.ts';

const run = promisify(execFile);
const linesMost = 330;

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

t.test('rows of Python and numpy are written as what they are', async (t) => {
  if (isLeftOut(t, missing)) return;
  const folder = await makeTemporaryFolder(t);
  const { url } = await TestService.start(t, {}, {});
  const text = `
import datetime
from quire import Problem, Quire
try:
    import numpy
except ImportError:
    numpy = None

class Number:
    dtype = "int64"
    def __init__(self, value): self.value = value
    def astype(self, kind): return self
    def tolist(self): return self.value

book = Quire.register("${url}").create()
book.submit([{"kind": "settings.set", "payload": {"path": "dateSystem", "value": 1904}}])
day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 18)
rows = [["007", "=1+1", "'", "", None, True, day, moment, Number(3), "1/2", "=", 1.5]]
book.set("A1:L1", rows)
print(book.read("A1:L1").rows == [["007", 2, "", None, None, True, 43889, 43889.75, 3, "1/2", "=", 1.5]])
book.set("A2:B2", [(day, day)])
book.set("A3:B3", day)
shown = book.read("A2:B3", lens="formatted").rows
print(shown == [["2024-02-29"] * 2] * 2, shown)
book.set("A4:B4", [[Number(1), Number(2)]])
for value in [[[datetime.date(1899, 1, 1)]], [[datetime.timedelta(1), day]], [[day, float("nan")]]]:
    try:
        book.set("A1:B1", value)
        print(value)
    except Problem as problem:
        print(problem.code)
if numpy:
    book.set("A5:C5", numpy.array([[1, 2, 3]]))
    book.set("A6:C6", [[numpy.int64(4), numpy.float32(0.5), numpy.bool_(True)]])
    times = ["2024-02-29T18:00", "2024-02-29"]
    book.set("A7:B7", [[numpy.datetime64(times[0], "ns"), numpy.datetime64(times[1], "D")]])
    print(book.read("A5:C7").rows == [[1, 2, 3], [4, 0.5, True], [43889.75, 43889, None]])
    try:
        book.set("A1", numpy.timedelta64(5, "ns"))
    except Problem as problem:
        print(problem.code)
else:
    print("True\\nbad_value")
`;
  const lines = (await program(folder, text)).trimEnd().split('\n');
  t.equal(lines[0], 'True');
  t.match(lines[1], /^True/);
  t.same(lines.slice(2), ['bad_value', 'bad_value', 'bad_value', 'True', 'bad_value']);
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
  });
  const url = await listening(t, server);
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

t.test('a redirect does not hand the key to somebody else', async (t) => {
  if (isLeftOut(t, missing)) return;
  const folder = await makeTemporaryFolder(t);
  const seen: unknown[] = [];
  const other = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.end('{}');
  });
  const otherUrl = await listening(t, other);
  const places: Readonly<Record<string, string>> = { '/away': otherUrl, '/here': '/there' };
  const service = createServer(({ url = '', headers }, response) => {
    const location = places[url];
    if (location !== undefined) response.writeHead(302, { location });
    else seen.push(headers.authorization);
    response.end(url === '/cut' ? '{"id": ' : '{}');
  });
  const url = await listening(t, service);
  const text = `
from quire import Problem, Quire
quire = Quire("${url}", "wbk_test_secret\\n", retries=0)
print(quire.call("GET", "/away"), quire.call("GET", "/here"))
for make in [lambda: quire.call("GET", "/cut"), lambda: Quire("quire.example")]:
    try:
        make()
    except (Problem, ValueError) as error:
        print(getattr(error, "code", type(error).__name__))
`;
  t.equal(await program(folder, text), '{} {}\nnot_the_service\nValueError\n');
  t.same(seen, [undefined, 'Bearer wbk_test_secret', 'Bearer wbk_test_secret']);
});

async function listening(t: Test, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
