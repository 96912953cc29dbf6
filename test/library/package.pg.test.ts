import { execFile } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { root } from '../support/sources.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

const run = promisify(execFile);
const libraryBytesMost = 14 * 1_024;

/** The published form in a folder, as `npm pack` and `npm install` make it. Runs long. */
async function installed(folder: string): Promise<void> {
  const from = join(folder, 'package');
  await run(process.execPath, [join(root, 'build/client/build.js')]);
  await run(process.execPath, [join(root, 'build/client/pack.js')]);
  await cp(join(root, 'build/package'), from, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--offline'], { cwd: from });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
  const flags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...flags, join(from, filename)], { cwd: folder });
}

t.test('the published library is installed in an empty folder and does what it says', async (t) => {
  const folder = await makeTemporaryFolder(t);
  await installed(folder);
  const package_ = join(folder, 'node_modules/quire-client');
  t.notOk((await readdir(join(folder, 'node_modules'))).some((name) => /^(zod|@)/.test(name)));
  const bytes = gzipSync(await readFile(join(package_, 'quire.js')), { level: 9 }).length;
  t.ok(bytes <= libraryBytesMost, `the library has ${bytes} bytes, packed`);

  const { url } = await TestService.start(t, {}, {});
  const readme = await readFile(join(package_, 'README.md'), 'utf8');
  const example = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? '';
  await writeFile(join(folder, 'example.ts'), example.replace('http://127.0.0.1:8080', url));
  const compiler = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    allowImportingTsExtensions: false,
  };
  const tsconfig = { compilerOptions: compiler, files: ['example.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: folder });
  const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder });
  t.match(stdout, /main@3 \[ \{ sheet: 'Plan', a1: 'C1', before: 5, after: 6 \} \]/);
  t.match(stdout, /^structure$/m);
  t.match(stdout, /^sheet_not_found /m);
});
