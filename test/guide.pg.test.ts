import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';
import type { Test } from 'tap';

import { QuireCommand } from './support/quire-command.ts';
import { isLeftOut } from './support/outside-program.ts';
import { root } from './support/sources.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { TestService } from './support/test-service.ts';

const run = promisify(execFile);
const page = await readFile(join(root, 'docs/guide.md'), 'utf8');
const steps = page.split(/^## \d/m).length - 1;

/** Returns why a program cannot be run here; undefined where it can. */
async function missing(command: string): Promise<string | undefined> {
  return run(command, ['--version']).then(
    () => undefined,
    () => `${command} is not there`,
  );
}

/** All blocks of one way, one after the other. */
function way(language: string, url: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))];
  return blocks.map(([, text = '']) => text.replaceAll('http://127.0.0.1:8080', url)).join('\n');
}

async function begin(t: Test): Promise<{ url: string; folder: string }> {
  const { url } = await TestService.start(t, {}, {});
  return { url, folder: await makeTemporaryFolder(t) };
}

t.test('each step is there in each way', async (t) => {
  t.ok(steps >= 8);
  for (const language of ['sh', 'js', 'bash', 'python']) {
    t.equal(page.split(`\n\`\`\`${language}\n`).length - 1, steps, language);
  }
});

t.test('with curl', async (t) => {
  if (isLeftOut(t, await missing('curl'))) return;
  const { url, folder } = await begin(t);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', way('sh', url)], { cwd: folder });
  t.match(stdout, /"branch":"dearer"/);
});

t.test('with the library', async (t) => {
  const { url, folder } = await begin(t);
  const library = join(folder, 'node_modules/quire-client');
  await mkdir(library, { recursive: true });
  const exported = JSON.stringify(join(root, 'build/client/library/quire.js'));
  await writeFile(join(library, 'quire.js'), `export * from ${exported};`);
  await cp(join(root, 'client/library/package.json'), join(library, 'package.json'));
  await writeFile(join(folder, 'guide.mjs'), way('js', url));
  const { stdout } = await run(process.execPath, ['guide.mjs'], { cwd: folder });
  t.match(stdout, /'C3=16'/);
  t.match(stdout, /^merged$/m);
  t.match(stdout, /\[ \[ 3, 6 \], \[ 5, 10 \], \[ 8, 16 \] \]\ndearer /);
});

t.test('with the command', async (t) => {
  const { url } = await begin(t);
  const quire = await QuireCommand.at(t, url);
  const command = join(quire.home, 'quire-here');
  await mkdir(command);
  const line = `#!/bin/sh\nexec "${process.execPath}" "${QuireCommand.main}" "$@"\n`;
  await writeFile(join(command, 'quire'), line);
  await chmod(join(command, 'quire'), 0o755);
  const env = { ...quire.environment, PATH: `${command}:${quire.environment['PATH'] ?? ''}` };
  const script = ['-euo', 'pipefail', '-c', way('bash', url)];
  const { stdout } = await run('bash', script, { cwd: quire.home, env });
  t.match(stdout, /^3\t6\n5\t10\n8\t16$/m);
  t.match(stdout, /^B1 {2}dearer@1 /m);
  t.match(stdout, /^Proven: operation 1 of wb_/m);
});

t.test('with Python', async (t) => {
  if (isLeftOut(t, await missing('python3'))) return;
  const { url, folder } = await begin(t);
  await cp(join(root, 'client/python/quire.py'), join(folder, 'quire.py'));
  await writeFile(join(folder, 'guide.py'), `${way('python', url)}\nprint(merge["state"])\n`);
  const { stdout } = await run('python3', ['guide.py'], { cwd: folder });
  t.equal(stdout, 'merged\n');
});
