import { gzipSync } from 'node:zlib';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The most bytes, packed, that a page that uses the library has to load. */
const libraryBytesMost = 14 * 1_024;
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'build/package');

/** The library without dependencies, for all that runs modules. */
await rm(folder, { recursive: true, force: true });
await build({
  entryPoints: [join(root, 'client/library/quire.ts')],
  outdir: folder,
  bundle: true,
  // The check of proofs is as large as all the rest: those who ask for it load it.
  splitting: true,
  chunkNames: 'quire-[name]-[hash]',
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  legalComments: 'none',
});
const { length } = gzipSync(await readFile(join(folder, 'quire.js')), { level: 9 });
if (length > libraryBytesMost) {
  throw new Error(`the library has ${length} bytes, packed; at most ${libraryBytesMost} may be`);
}
