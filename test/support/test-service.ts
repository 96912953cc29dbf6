import { pathToFileURL } from 'node:url';
import root from 'tap';
import type { Test } from 'tap';
import { App, type Given } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { oncePerFile } from './once-per-file.ts';
import { createMigratedDatabase } from './postgres.ts';
import { bundledTasks } from './programs.ts';
import { ServiceDoor } from './service-door.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type { TestAnswer, TestRequest } from './service-door.ts';

/** Folders of object stores by the URL of the database that they belong to. */
const storeFolders = oncePerFile(() => new Map<string, Promise<string>>());

/** A database has one object store, however many services share it or follow one another. */
async function storeOf(databaseUrl: string): Promise<string> {
  const folders = storeFolders();
  const known = folders.get(databaseUrl);
  const folder = known ?? makeTemporaryFolder(root);
  if (!known) folders.set(databaseUrl, folder);
  return pathToFileURL(await folder).href;
}

/** The whole service in this process, on a database and a folder of its own. */
export class TestService extends ServiceDoor {
  readonly app: App;

  private constructor(app: App) {
    super(app.addresses.baseUrl);
    this.app = app;
  }

  /** Settings as in the environment, for what a test wants otherwise. */
  static async start(
    t: Pick<Test, 'teardown'>,
    settings: Readonly<Record<string, string>> = {},
    given: Partial<Given> = {},
  ): Promise<TestService> {
    const folder = await makeTemporaryFolder(t);
    const { DATABASE_URL: databaseUrl = await createMigratedDatabase() } = settings;
    const config = readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      OBJECT_STORE_URL: settings['OBJECT_STORE_URL'] ?? (await storeOf(databaseUrl)),
      WORKERS: '1',
      LOG_LEVEL: 'error',
      DEV_HOOKS: 'on',
      RATE_LIMITS: 'off',
      ...settings,
    });
    // A thread loads a third of the service: those that a test needs begin when it needs them.
    const app = await App.start(config, { threadsAtStart: 0, ...bundledTasks, ...given });
    t.teardown(() => app.stop());
    return new TestService(app);
  }
}
