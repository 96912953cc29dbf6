import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A file of code: its path from the root, its text, and the text's lines. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** Every file of TypeScript and AssemblyScript, packages left out. */
export async function readSources(): Promise<Source[]> {
  const sources: Source[] = [];
  for (const folder of ['server', 'workers', 'assembly', 'client', 'bench', 'test']) {
    const entries = await readdir(join(root, folder), { recursive: true }).catch(noFolder);
    for (const entry of entries) {
      if (!/\.tsx?$/.test(entry) || entry.includes('node_modules')) continue;
      const path = `${folder}/${entry}`;
      const text = await readFile(join(root, path), 'utf8');
      sources.push({ path, text, lines: text.split('\n') });
    }
  }
  return sources;
}

/** No entries, for a folder that is not there. */
export function noFolder(): string[] {
  return [];
}

/** Paths from the root of what a file imports of this repository. */
export function importsOf(source: Source): string[] {
  const found = source.text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  return [...found].map((match) => normalize(join(dirname(source.path), match[1] ?? '')));
}

/** As importsOf, without what is imported for its type alone. */
export function valueImportsOf({ path, text }: Source): string[] {
  const found = text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)';/gm);
  return [...found].map((match) => normalize(join(dirname(path), match[1] ?? '')));
}
