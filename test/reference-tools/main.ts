import { spawn } from 'node:child_process';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import process from 'node:process';

import { compactDocument } from '../../server/http/reference/compact.ts';
import { openApiDocument } from '../../server/http/reference/openapi.ts';
import { wholeRouteTable } from '../support/route-table.ts';
import { needInstalled } from '../support/installed.ts';
import { root } from '../support/sources.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/**
 * Tools of others look at /openapi.json: `npm ci --prefix test/reference-tools && npm run
 * reference-tools`. Redocly and Spectral find nothing to say about it, and Prism, as a proxy in
 * front of the service during the tests of the library, no answer that it does not describe.
 * `-- <file>` names other tests, such as `api/merges.pg`. Apart from the tests, as the tools are 160 MB.
 */

const folder = join(root, 'test/reference-tools');
const built = join(root, 'build/test');
needInstalled('test/reference-tools');
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
/** Tests whose requests other programs send. */
const leftOut = ['browser', 'client-page', 'package', 'runtimes'];

interface Asked {
  readonly request: string;
  readonly faults: readonly string[];
}

/** Runs a program to its end, and says what it printed if that was a bad one. */
async function isPassed(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<boolean> {
  const child = spawn(process.execPath, words, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TAP_TIMEOUT: '300', ...env },
    // Proxies that it starts are of its group, and end with it, however it ends.
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  endGroup(child.pid);
  if (code !== 0) say(printed);
  return code === 0;
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}

async function lint(at: string): Promise<string[]> {
  const base = 'http://127.0.0.1:8080';
  const addresses = { baseUrl: base, authUrl: base, siteUrl: base };
  const document = compactDocument(openApiDocument(wholeRouteTable(), addresses, '1'));
  await writeFile(join(at, 'openapi.json'), JSON.stringify(document));
  for (const rules of ['redocly.yaml', 'spectral.yaml']) {
    await copyFile(join(folder, rules), join(at, rules));
  }
  const modules = join(folder, 'node_modules');
  const redocly = [join(modules, '@redocly/cli/bin/cli.js'), 'lint', 'openapi.json'];
  const spectral = [join(modules, '@stoplight/spectral-cli/dist/index.js'), 'lint', 'openapi.json'];
  const runs = {
    redocly: [...redocly, '--config', 'redocly.yaml', '--max-problems', '20'],
    spectral: [...spectral, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'],
  };
  const failed: string[] = [];
  for (const [name, words] of Object.entries(runs)) {
    const isClean = await isPassed(words, { cwd: at });
    say(`${name}: ${isClean ? 'clean' : 'finds faults'}`);
    if (!isClean) failed.push(name);
  }
  return failed;
}

async function throughPrism(name: string, at: string): Promise<string[]> {
  const report = join(at, basename(name));
  await writeFile(report, '');
  const hooks = ['support/test-seed.js', 'reference-tools/through-prism.js'];
  const words = [...hooks.map((hook) => `--import=${join(built, hook)}`), join(built, name)];
  const isWell = await isPassed(words, { cwd: root, env: { QUIRE_PRISM_REPORT: report } });
  const lines = (await readFile(report, 'utf8')).split('\n').filter((line) => line !== '');
  const asked = lines.map((line) => JSON.parse(line) as Asked);
  const bad = asked.filter(({ faults }) => faults.length > 0);
  say(`${name}: ${asked.length} answers by Prism, ${bad.length} not as described`);
  for (const { request, faults } of bad) say(`  ${request}: ${faults.join('; ')}`);
  const isSeen = asked.length > 0;
  return isWell && isSeen && bad.length === 0 ? [] : [name];
}

async function filesToRun(given: readonly string[]): Promise<string[]> {
  if (given.length > 0) return given.map((name) => `${name}.test.js`);
  const names = await readdir(join(built, 'library'));
  const ours = names.filter((name) => name.endsWith('.pg.test.js'));
  return ours
    .filter((name) => !leftOut.some((one) => name.startsWith(one)))
    .map((name) => join('library', name));
}

const endings: (() => unknown)[] = [];
const cleanup = { teardown: (action: () => unknown) => void endings.push(action) };
try {
  const at = await makeTemporaryFolder(cleanup);
  const failed = await lint(at);
  for (const name of await filesToRun(process.argv.slice(2))) {
    failed.push(...(await throughPrism(name, at)));
  }
  if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  for (const action of endings) await action();
}
