import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
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
  readonly assets: readonly ConsoleAsset[];
}

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

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
    const file = basename(path);
    const type = file.endsWith('.css') ? types.css : types.js;
    const sha256 = createHash('sha256').update(contents).digest('hex');
    assets.push({ file, type, sha256 });
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    await writeFile(join(outputFolder, file), contents);
    await writeFile(join(outputFolder, `${file}.br`), brotliCompressSync(contents, quality));
    await writeFile(join(outputFolder, `${file}.gz`), gzipSync(contents, { level: 9 }));
  }
  const entry = (pattern: RegExp) => assets.find(({ file }) => pattern.test(file))?.file ?? '';
  const manifest: ConsoleManifest = {
    script: entry(/^main-.*\.js$/u),
    style: entry(/^console-.*\.css$/u),
    assets,
  };
  await writeFile(join(outputFolder, 'manifest.json'), JSON.stringify(manifest, null, 2));
}

await bundle();
