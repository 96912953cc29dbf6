import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { App, type Given } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { createMigratedDatabase } from './postgres.ts';
import { bundledTasks } from './programs.ts';
import { ServiceDoor } from './service-door.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type { TestAnswer, TestRequest } from './service-door.ts';

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
    const config = readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: await createMigratedDatabase(),
      OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
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
