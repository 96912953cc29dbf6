import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Compiles `assembly/` to build/kernel.wasm, unless sources and compiler are those of the last
 * time. `npm run build` runs it.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
/**
 * The compiler is run as a program: importing it would add its global types of numbers and arrays
 * to the whole project.
 */
const compiler = join(fileURLToPath(import.meta.resolve('assemblyscript/asc')), '../..');
const kernel = join(root, 'build/kernel.wasm');
/** SHA-256 of the sources and the compiler. */
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
