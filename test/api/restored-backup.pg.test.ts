import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import type { Test } from 'tap';

import { copyDatabase, createMigratedDatabase } from '../support/postgres.ts';
import { processSettings } from '../support/process-settings.ts';
import { ServiceDoor, type TestAnswer } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Databases and object stores of different times are put back beside one another. Runs long. */

t.setTimeout(180_000);

/** Operations between two stores of the state: the same before and after the backup. */
const roundOperations = 3;

class World {
  readonly folder: string;
  readonly #t: Test;
  readonly #credential: string;
  readonly id: string;
  settings: Record<string, string>;
  service: ServiceProcess;

  private constructor(
    t: Test,
    given: Pick<World, 'folder' | 'settings' | 'service' | 'id'>,
    key: string,
  ) {
    this.#t = t;
    this.folder = given.folder;
    this.settings = given.settings;
    this.service = given.service;
    this.id = given.id;
    this.#credential = key;
  }

  /** A service with a workbook that has one stored round, of which there is a backup. */
  static async start(t: Test): Promise<World> {
    const folder = await makeTemporaryFolder(t);
    const settings = processSettings(folder, await createMigratedDatabase());
    const service = await ServiceProcess.start(t, `${folder}/data`, settings);
    const door = new ServiceDoor(service.url);
    const credential = await door.register();
    const { json } = await door.request('/v1/workbooks', { credential, body: {} });
    const { id } = json as { id: string };
    return new World(t, { folder, settings, service, id }, credential);
  }

  ask(rest: string, body?: object, method?: string): Promise<TestAnswer> {
    const options = { ...(body && { body }), ...(method !== undefined && { method }) };
    const door = new ServiceDoor(this.service.url);
    const credential = this.#credential;
    return door.request(`/v1/workbooks/${this.id}${rest}`, { credential, ...options });
  }

  /** Writes a column of texts, one operation a cell, and stores journal and state. */
  async round(column: string, text: string): Promise<void> {
    for (let row = 1; row <= roundOperations; row++) {
      const cells = [{ a1: `${column}${row}`, input: `${text} ${row}` }];
      const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
      const { status, text: answer } = await this.ask('/branches/main/ops', { ops });
      if (status !== 200) throw new Error(answer);
    }
    const { status, text: answer } = await this.ask('/branches/main/checkpoint', {});
    if (status !== 200) throw new Error(answer);
  }

  /** The database as it is, put aside; the service is stopped for it and started again. */
  async backupOfDatabase(): Promise<string> {
    await this.stop();
    const copy = await copyDatabase(this.settings['DATABASE_URL'] ?? '');
    await this.restart();
    return copy;
  }

  async copyStore(to: string): Promise<void> {
    await promisify(execFile)('cp', ['-a', `${this.folder}/objects`, `${this.folder}/${to}`]);
  }

  /** Puts a copy of the store in the place of the store. */
  async restoreStore(from: string): Promise<void> {
    await rename(`${this.folder}/objects`, `${this.folder}/lost`);
    await rename(`${this.folder}/${from}`, `${this.folder}/objects`);
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }

  async restart(more: Readonly<Record<string, string>> = {}): Promise<void> {
    this.settings = { ...this.settings, ...more };
    this.service = await ServiceProcess.start(this.#t, `${this.folder}/data`, this.settings);
  }

  async cells(ref = 'main'): Promise<unknown> {
    const { json, text } = await this.ask(`/slice?ref=${ref}&range=A1:B3`);
    return (json as { rows?: unknown }).rows ?? text;
  }

  async isWhole(): Promise<unknown> {
    const { json } = await this.ask('/verify', {}, 'POST');
    return (json as { ok?: boolean }).ok === true || json;
  }
}

function rows(first: string, second: string | null): (string | null)[][] {
  return [1, 2, 3].map((row) => [`${first} ${row}`, second === null ? null : `${second} ${row}`]);
}

t.test('a database and a later copy of its store are what was backed up', async (t) => {
  const world = await World.start(t);
  await world.round('A', 'kept');
  const backup = await world.backupOfDatabase();
  await world.copyStore('copy');
  await world.round('B', 'lost');
  await world.stop();
  await world.restoreStore('copy');
  await world.restart({ DATABASE_URL: backup });
  t.same(await world.cells(), rows('kept', null));
  await world.round('B', 'new');
  t.same(await world.cells(), rows('kept', 'new'));
  t.equal(await world.isWhole(), true);
});

t.test('an older database beside a newer store goes on with its own history', async (t) => {
  const world = await World.start(t);
  await world.round('A', 'kept');
  const backup = await world.backupOfDatabase();
  await world.round('B', 'lost');
  const head = await world.ask('/branches/main/ops?after=0');
  t.match(head.json, { head: 2 * roundOperations + 1 }, 'with the one that made the sheet');
  await world.stop();
  await world.restart({ DATABASE_URL: backup });
  t.same(await world.cells(), rows('kept', null));
  // The journal and the state have the same positions as in the history that was lost.
  await world.round('B', 'new');
  t.same(await world.cells(), rows('kept', 'new'));
  await world.stop();
  await world.restart();
  t.same(await world.cells(), rows('kept', 'new'), 'a cold state is that of this history');
  t.same(await world.cells(`main@${2 * roundOperations}`), [
    ...rows('kept', 'new').slice(0, 2),
    ['kept 3', null],
  ]);
  await world.service.kill();
  await world.restart();
  await world.round('A', 'more');
  t.same(await world.cells(), rows('more', 'new'));
});

t.test('a newer database beside an older store puts back what it has rows of', async (t) => {
  const world = await World.start(t);
  await world.round('A', 'kept');
  await world.stop();
  await world.copyStore('copy');
  await world.restart();
  await world.round('B', 'newer');
  await world.stop();
  await world.restoreStore('copy');
  await world.restart();
  t.same(await world.cells(), rows('kept', 'newer'));
  let lines: string[] = [];
  for (let tries = 0; tries < 100 && lines.length === 0; tries++) {
    lines = world.service.logLines.filter((line) => line.includes('newest objects'));
    await sleep(50);
  }
  t.match(lines[0], /lacks 2 of the 4 newest objects/);
  for (let tries = 0; tries < 200; tries++) {
    if ((await world.isWhole()) === true) break;
    await sleep(100);
  }
  t.equal(await world.isWhole(), true, 'nothing is missing any more');
  await rm(`${world.folder}/lost`, { recursive: true });
});
