import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Puts beside the built library what its package needs: types, manifest and README. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const library = join(root, 'client/library');
const folder = join(root, 'build/package');

const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', library], { stdio: 'inherit' });
cpSync(join(library, 'api.d.ts'), join(folder, 'types/client/library/api.d.ts'));
for (const name of ['package.json', 'README.md']) cpSync(join(library, name), join(folder, name));
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
