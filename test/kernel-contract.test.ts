import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';

/** Kernel and host are compiled apart from each other: what they agree on is compared here. */

const root = import.meta.resolve('#package.json');

async function readText(path: string): Promise<string> {
  return readFile(new URL(path, root), 'utf8');
}

async function readFolder(path: string, ending: string): Promise<string[]> {
  const names = await readdir(new URL(path, root), { recursive: true });
  const chosen = names.filter((name) => name.endsWith(ending)).toSorted();
  return Promise.all(chosen.map((name) => readText(`${path}${name}`)));
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

t.test('the host knows every export of the kernel, and no others', async (t) => {
  const kernel = new WebAssembly.Module(await readFile(new URL('build/kernel.wasm', root)));
  const exported = WebAssembly.Module.exports(kernel)
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => name);
  const parts = ['hashes', 'dots', 'postings', 'transfer'].map(
    (part) => `workers/kernel-${part}.ts`,
  );
  const hosts = ['workers/kernel.ts', ...parts];
  const host = (await Promise.all(hosts.map(readText))).join('');
  const declared = await readText('workers/kernel-exports.ts');
  t.same(namesIn(declared, /^ {2}(\w+)\(/gm).toSorted(), exported.toSorted());
  const documented = namesIn(await readText('docs/kernel-abi.md'), /`(\w+)\(/g);
  for (const name of exported) {
    t.match(host, new RegExp(`#exports\\.${name}\\(`), `${name} is called`);
    t.ok(documented.includes(name), `docs/kernel-abi.md describes ${name}`);
  }
});

t.test('the host provides every import of the kernel', async (t) => {
  const imported = namesIn(await readText('assembly/host.ts'), /^export declare function (\w+)/gm);
  const host = await readText('workers/kernel-instance.ts');
  const provided = /\n {4}host: \{([^]*?)\n {4}\}/.exec(host)?.[1] ?? '';
  t.same(namesIn(provided, /^ {6}(\w+):/gm).toSorted(), imported.toSorted());
});

t.test('every number that both sides share is used', async (t) => {
  const shared = await readText('assembly/abi.ts');
  const names = namesIn(shared, /^export const (\w+)/gm);
  const users = [
    ...(await readFolder('assembly/', '.ts')).filter((text) => text !== shared),
    ...(await readFolder('workers/', '.ts')),
  ].join('\n');
  const used = new Set(users.match(/\b[A-Z][A-Z0-9_]+\b/g));
  t.same(
    names.filter((name) => !used.has(name)),
    // The kernel never makes it; it keeps the numbers of the others in ERROR.TYPE's order.
    ['ERROR_GETTING_DATA'],
  );
});

t.test('every worksheet function has a line in the golden files', async (t) => {
  const files = await readFolder('assembly/functions/', '.ts');
  const tables = files.flatMap((text) => namesIn(text, /: string = `\n([^`]*)`/g));
  const functions = tables.flatMap((table) => namesIn(table, /^([A-Z][A-Z0-9._]*) \d/gm));
  t.ok(functions.length > 150, `${functions.length} functions`);
  t.equal(new Set(functions).size, functions.length, 'none twice');
  const golden = (await readFolder('test/golden/', '.txt')).join('\n');
  const asked = new Set(namesIn(golden, /([A-Z][A-Z0-9._]*)\(/g));
  t.same(
    functions.filter((name) => !asked.has(name)),
    [],
  );
});
