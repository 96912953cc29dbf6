import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Compiles `assembly/` to build/kernel.wasm, unless it was compiled from the same sources by the
 * same compiler. Run by `npm run build`.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
/** An import of the compiler would bring its types of arrays and numbers into all of the project. */
const compiler = join(fileURLToPath(import.meta.resolve('assemblyscript/asc')), '../..');
const kernel = join(root, 'build/kernel.wasm');
/** SHA-256 of what the kernel was compiled from. */
const mark = join(root, 'build/kernel.source');

async function digestOfSources(): Promise<string> {
  const folder = join(root, 'assembly');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const paths = [
    join(root, 'asconfig.json'),
    ...names.toSorted().map((name) => join(folder, name)),
  ];
  const hash = createHash('sha256').update(await readFile(join(compiler, 'package.json')));
  for (const path of paths) hash.update(`${path}\n`).update(await readFile(path));
  return hash.digest('hex');
}

async function isBuiltFrom(digest: string): Promise<boolean> {
  try {
    await readFile(kernel);
    return (await readFile(mark, 'utf8')) === digest;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

const digest = await digestOfSources();
if (!(await isBuiltFrom(digest))) {
  const given = [join(compiler, 'bin/asc.js'), '--target', 'release', '--baseDir', root];
  execFileSync(process.execPath, given, { stdio: 'inherit' });
  await writeFile(mark, digest);
}
