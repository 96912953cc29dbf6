import { readdirSync, readFileSync } from 'node:fs';

/** A worksheet function as its row in a family's table says (assembly/functions/registry.ts). */
export interface FunctionRow {
  readonly name: string;
  readonly fewest: number;
  readonly most: number;
  /** A letter a parameter; what follows a `+` repeats. */
  readonly kinds: string;
  readonly flags: string;
}

const folder = new URL('../../../assembly/functions/', import.meta.url);
const row = /(?<=^|[`';])\s*([A-Z][A-Z0-9.]*) (\d+) (\d+) ([+vtral]+)(?: ([A-Z]+))?(?=[;`'])/gmu;

/** Every function of the registry, by name. */
export function readFunctionTable(): FunctionRow[] {
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const rows = texts.flatMap((text) =>
    [...text.matchAll(row)].map(([, name = '', fewest, most, kinds = '', flags = '']) => {
      return { name, fewest: Number(fewest), most: Number(most), kinds, flags };
    }),
  );
  return rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
