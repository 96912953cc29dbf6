import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/**
 * Bundles the console into `build/console/`: hashed files, each with its compressed forms beside
 * it, and a manifest that server/console reads. Run by `npm run build`.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const outputFolder = join(root, 'build/console');

export interface ConsoleAsset {
  readonly file: string;
  readonly type: string;
  readonly sha256: string;
}

export interface ConsoleManifest {
  readonly script: string;
  readonly style: string;
  /** The functions of worksheets with their arguments, for the formula bar. */
  readonly functions: string;
  readonly assets: readonly ConsoleAsset[];
}

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
} as const;

async function bundle(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['client/console/main.tsx', 'client/console/style/console.css'],
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: outputFolder,
    write: false,
    legalComments: 'none',
  });
  await rm(outputFolder, { recursive: true, force: true });
  await mkdir(outputFolder, { recursive: true });
  const assets: ConsoleAsset[] = [];
  for (const { path, contents } of outputFiles) {
    const type = path.endsWith('.css') ? types.css : types.js;
    assets.push(await write({ file: basename(path), type }, contents));
  }
  const functions = await writeFunctions();
  assets.push(functions);
  const entry = (pattern: RegExp) => assets.find(({ file }) => pattern.test(file))?.file ?? '';
  const manifest: ConsoleManifest = {
    script: entry(/^main-.*\.js$/u),
    style: entry(/^console-.*\.css$/u),
    functions: functions.file,
    assets,
  };
  await writeFile(join(outputFolder, 'manifest.json'), JSON.stringify(manifest, null, 2));
}

/** Writes a file of the console with its compressed forms. */
async function write(
  { file, type }: Pick<ConsoleAsset, 'file' | 'type'>,
  contents: Uint8Array,
): Promise<ConsoleAsset> {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  await writeFile(join(outputFolder, file), contents);
  await writeFile(join(outputFolder, `${file}.br`), brotliCompressSync(contents, quality));
  await writeFile(join(outputFolder, `${file}.gz`), gzipSync(contents, { level: 9 }));
  return { file, type, sha256: createHash('sha256').update(contents).digest('hex') };
}

/** Writes the names of all functions with those of their arguments. */
async function writeFunctions(): Promise<ConsoleAsset> {
  const table = await readFile(join(root, 'assembly/functions/signatures.tsv'), 'utf8');
  const [, ...lines] = table.trimEnd().split('\n');
  const functions = lines.map((line) => {
    const [name = '', , list = ''] = line.split('\t');
    return { name, arguments: list === '' ? [] : list.split(/,\s*(?![^[]*\])/u) };
  });
  const contents = Buffer.from(JSON.stringify(functions));
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
  return write({ file: `functions-${hash}.json`, type: types.json }, contents);
}

await bundle();
