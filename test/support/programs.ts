import { basename } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of bundles that a run of tests has made, in the environment of its processes. */
export const bundlesSetting = 'QUIRE_TEST_BUNDLES';

const { [bundlesSetting]: bundles } = process.env;

/** The path of a built program: its bundle where a run of tests has made one, else itself. */
export function programPath(program: URL): string {
  const path = fileURLToPath(program);
  return bundles === undefined ? path : `${bundles}/${basename(path, '.js')}.cjs`;
}

/** For a service in this process: where the threads of its pool have a bundle, that one. */
export const bundledTasks: { readonly tasks?: URL } =
  bundles === undefined ? {} : { tasks: pathToFileURL(`${bundles}/tasks.cjs`) };
