import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { isLeftOut } from '../support/outside-program.ts';
import { root } from '../support/sources.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/**
 * The built library in the other programs that it is for. `npm ci --prefix test/runtimes` installs
 * them, 330 MB; where they are not, this says so and goes on.
 */

const run = promisify(execFile);
const programs = join(root, 'test/runtimes/node_modules/.bin');

interface Runtime {
  readonly name: string;
  readonly words: readonly string[];
  /** Websockets that the program has by itself. */
  readonly isLive: boolean;
}

const runtimes: readonly Runtime[] = [
  { name: 'bun', words: [], isLive: true },
  { name: 'deno', words: ['run', '--allow-all'], isLive: true },
  // Node 18.
  { name: 'node', words: [], isLive: false },
];

const script = `
import process from 'node:process';
import { op, Quire } from './package/quire.js';
const quire = await Quire.register({ url: process.argv[2] });
const book = await quire.create({ sheets: [{ name: 'Plan', rows: [['Tea', 2.5, '=B1*2']] }] });
const { changes, ref } = await book.set('Plan!B1', 3);
const values = [];
for await (const { value } of book.values()) values.push(value);
const proof = await book.proofOf(ref);
const policy = await quire.policy();
const without = globalThis.crypto ? '' : await proof.verify(policy).catch((error) => error.message);
globalThis.crypto ??= (await import('node:crypto')).webcrypto;
const { seq } = await proof.verify(policy);
const changed = await Quire.proof(proof.text.replace(/\\nindex /, '\\nindex 1'));
const fault = await changed.verify(policy).catch((error) => error.name);
let status = 'none';
if (globalThis.WebSocket) {
  const live = await book.live({ writer: 'ann' });
  const cells = [{ a1: 'B1', input: 4 }];
  ({ status } = await live.submit([op.cellsSet({ sheet: 'Plan', cells })]));
  live.close();
}
const seen = { changes, values, ref, seq, without, fault, status };
process.stdout.write(JSON.stringify(seen));
`;

for (const { name, words, isLive } of runtimes) {
  t.test(`the built library works in ${name}`, async (t) => {
    const program = join(programs, name);
    if (isLeftOut(t, existsSync(program) ? undefined : `${name} is not in test/runtimes`)) return;
    const folder = await makeTemporaryFolder(t);
    await cp(join(root, 'build/package'), join(folder, 'package'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
    await writeFile(join(folder, 'script.js'), script);
    const { url } = await TestService.start(t, {}, {});
    const env = { PATH: process.env['PATH'], HOME: folder };
    const { stdout } = await run(program, [...words, 'script.js', url], { cwd: folder, env });
    const seen = JSON.parse(stdout) as { without: string };
    t.match(seen, {
      changes: { cells: [{ a1: 'C1', before: 5, after: 6 }] },
      values: ['Tea', 3, 6],
      ref: 'main@3',
      seq: 3,
      fault: 'ProofFault',
      status: isLive ? 'applied' : 'none',
    });
    if (name === 'node') t.match(seen.without, /has no Web Crypto.*globalThis\.crypto/);
  });
}

t.test('a platform without cryptography is told so, and no proof is called wrong', async (t) => {
  const { Quire, ProofFault } = await import('../../client/library/quire.ts');
  const whole = Reflect.getOwnPropertyDescriptor(globalThis, 'crypto');
  Reflect.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  t.teardown(() => whole && Reflect.defineProperty(globalThis, 'crypto', whole));
  const proof = await Quire.proof('anything');
  const fault: unknown = await proof.verify('anything').catch((error: unknown) => error);
  t.match(fault, { message: /has no Web Crypto/ });
  t.notOk(fault instanceof ProofFault);
});
