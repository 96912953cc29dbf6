import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createDatabase } from '../support/postgres.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Runs long: a dozen processes are started. */

t.test('a setting that turns out useless ends the start with a sentence of it', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const wrong = join(folder, 'wrong');
  await writeFile(wrong, 'hello');
  const nowhere = join(folder, 'nowhere');
  const useless: readonly [string, string, RegExp][] = [
    ['DATABASE_URL', 'postgres://u:hunter2@127.0.0.1:1/quire', /ECONNREFUSED/],
    ['OBJECT_STORE_URL', 's3://bucket?endpiont=http://a', /"endpiont".*endpoint/],
    ['OBJECT_STORE_URL', 's3://bucket?endpoint=nonsense', /endpoint.*http/],
    ['OBJECT_STORE_URL', 's3://bucket?forcePathStyle=maybe', /true or false/],
    ['TLOG_KEY_FILE', wrong, /base64/],
    ['TLOG_KEY_FILE', '/proc/nope/key', /no such file/],
    ['TLOG_ORIGIN', 'two words', /space/],
    ['TLOG_POLICY_FILE', nowhere, /no such file/],
    ['TLOG_POLICY_FILE', wrong, /line/],
    ['IDENTITY_KEY_FILE', wrong, /32 bytes/],
    ['IDENTITY_KEY_FILE', '/proc/nope/key', /no such file/],
    ['OBJECT_STORE_URL', 'file:/proc/nope', /no such file/],
    ['DATA_DIR', '/proc/nope', /no such file/],
    ['DATA_DIR', wrong, /exists/],
    ['DATA_DIR', join(wrong, 'below'), /not a directory/],
    ['SIGN_IN_PROVIDERS_FILE', wrong, /JSON/],
    ['MATCH_PROVIDERS', nowhere, /no such file/],
    ['HOST', 'host.invalid', /address of this machine/],
  ];
  const url = await createDatabase();
  for (const [name, value, why] of useless) {
    const settings = { DATABASE_URL: url, TLOG_MEMORY_DIR: 'off', [name]: value };
    const { code, output } = await ServiceProcess.refuse(join(folder, 'data'), settings);
    t.match({ code, output }, { code: /[12]/, output: /^Quire cannot start: .*$/ }, name);
    t.match(output, new RegExp(name === 'HOST' ? 'HOST' : `start: ${name}`));
    t.match(output, why);
    t.notMatch(output, 'hunter2');
    t.equal(output.split('\n').length, 1, 'nothing else is said');
  }
  const started = await ServiceProcess.start(t, join(folder, 'data'), { DATABASE_URL: url });
  t.equal(await started.stop(), 0, 'none of them has left anything behind');
});

t.test('a folder that is only read ends the start with a sentence', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes: 4 });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  await mkdir(join(disk.folder, 'there'));
  await disk.remount('ro');
  for (const name of ['there', 'new']) {
    const { code, output } = await ServiceProcess.refuse(join(disk.folder, name));
    const said = /^Quire cannot start: DATA_DIR cannot be used: EROFS: read-only file system.*$/;
    t.match({ code, output }, { code: 1, output: said }, name);
    t.equal(output.split('\n').length, 1);
  }
  return undefined;
});
