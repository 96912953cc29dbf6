import { readFile } from 'node:fs/promises';
import t from 'tap';

/**
 * npm leaves packages of other platforms out of the lock file when the registry it asks does not
 * have them, and `npm ci` refuses such a lock file everywhere else.
 */
interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

t.test('the lock file names the packages of every platform', async (t) => {
  const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const missing: string[] = [];
  for (const [place, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      const isLocked = [`node_modules/${name}`, `${place}/node_modules/${name}`].some(
        (key) => packages[key] !== undefined,
      );
      if (!isLocked) missing.push(name);
    }
  }
  t.same(missing, [], 'and npm ci takes it');
});
