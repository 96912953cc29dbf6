import { basename } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Variable with the folder of bundles that a test run has made. */
export const bundlesSetting = 'QUIRE_TEST_BUNDLES';

const { [bundlesSetting]: bundles } = process.env;

/** Returns the path of a built program: its bundle if a test run has made one. */
export function programPath(program: URL): string {
  const path = fileURLToPath(program);
  return bundles === undefined ? path : `${bundles}/${basename(path, '.js')}.cjs`;
}

/** Bundle for the threads of a service in this process, if there is one. */
export const bundledTasks: { readonly tasks?: URL } =
  bundles === undefined ? {} : { tasks: pathToFileURL(`${bundles}/tasks.cjs`) };
