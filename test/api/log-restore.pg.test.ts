import { execFile } from 'node:child_process';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';

import { runLogCommand } from '../support/log-command.ts';
import { checkGrown, readLog, readLogOver } from '../support/log-reader.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** One DATA_DIR with everything in it, as a newcomer has it, is restored from a copy. Runs long. */

const folder = await makeTemporaryFolder(t);
const data = join(folder, 'data');
const settings = { DATA_DIR: data, TLOG_MEMORY_DIR: join(folder, 'memory') };

/** With owners and times, as a backup has it. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

interface Status {
  readonly origin: string;
  readonly vkeys: readonly string[];
  readonly tree_size: number;
  readonly pending: number;
  readonly halted: string | null;
  readonly past: readonly { url: string; tree_size: number; why: string }[];
}

class Client {
  readonly #url: string;
  #credential = '';
  id = '';

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, body?: object): Promise<{ status: number; json: unknown }> {
    const answer = await fetch(this.#url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        ...(this.#credential !== '' && { authorization: `Bearer ${this.#credential}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  }

  async register(): Promise<void> {
    const { json } = await this.ask('/agent/auth', { type: 'anonymous' });
    this.#credential = (json as { data: { credential: string } }).data.credential;
    this.id = ((await this.ask('/v1/workbooks', {})).json as { id: string }).id;
  }

  at(url: string): Client {
    const client = new Client(url);
    client.#credential = this.#credential;
    client.id = this.id;
    return client;
  }

  async write(count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: round }] } }];
      const path = `/v1/workbooks/${this.id}/branches/main/ops`;
      const { status, json } = await this.ask(path, { ops, writer: 'w' });
      if (status !== 200) throw new Error(JSON.stringify(json));
    }
  }

  async status(): Promise<Status> {
    return (await this.ask('/v1/tlog/status')).json as Status;
  }

  async until(isSo: (status: Status) => boolean): Promise<Status> {
    for (let tries = 0; tries < 300; tries++) {
      const status = await this.status();
      if (isSo(status)) return status;
      await sleep(100);
    }
    throw new Error(JSON.stringify(await this.status()));
  }

  async see(path = '/v1/tlog', { vkeys }: Pick<Status, 'vkeys'> | Status = { vkeys: [] }) {
    const [key = ''] = vkeys.length > 0 ? vkeys : (await this.status()).vkeys;
    return readLog(readLogOver(this.#url + path), key);
  }
}

const isCaughtUp = ({ pending, halted }: Status) => pending === 0 && halted === null;

t.test('a data folder restored from a copy does not fork the log unseen', async (t) => {
  let service = await ServiceProcess.start(t, data, settings);
  const first = new Client(service.url);
  await first.register();
  await first.write(5);
  const before = await first.until(isCaughtUp);
  await service.stop();
  await copy(data, join(folder, 'copy'));
  service = await ServiceProcess.start(t, data, settings);
  await first.at(service.url).write(4);
  const shown = await first.at(service.url).until(isCaughtUp);
  const seen = await first.at(service.url).see();
  t.ok(shown.tree_size > before.tree_size);
  await service.stop();
  t.equal((await readdir(join(folder, 'memory'))).length, 1, 'one log is remembered');

  await rename(data, join(folder, 'lost'));
  await copy(join(folder, 'copy'), data);
  service = await ServiceProcess.start(t, data, settings);
  const restored = first.at(service.url);
  const { halted } = await restored.until(({ halted: why }) => why !== null);
  t.match(halted, `this machine has shown size ${shown.tree_size} of the log`);
  t.match(await restored.ask('/ready'), {
    status: 200,
    json: { status: 'degraded', dependencies: { log: 'unavailable' } },
  });
  await restored.write(3);
  t.match(await restored.status(), { halted, tree_size: shown.tree_size }, 'nothing is signed');
  const running = await runLogCommand(['status'], settings);
  t.match(running, { code: 1, output: /another Quire .* uses this DATA_DIR: stop it/ });
  await service.stop();

  const look = await runLogCommand(['status'], settings);
  t.equal(look.code, 0, look.output);
  t.match(look.output, `size ${before.tree_size} signed`);
  t.match(look.output, /The log is halted: this machine has shown/);
  t.match(look.output, `npm run log -- adopt --size ${before.tree_size}`);
  await copy(data, join(folder, 'halted'));

  const begun = await runLogCommand(['begin'], settings);
  t.equal(begun.code, 0, begun.output);
  service = await ServiceProcess.start(t, data, settings);
  const next = first.at(service.url);
  const { origin, past } = await next.until(isCaughtUp);
  t.equal(origin, `${before.origin}-2`);
  t.match(await next.ask('/ready'), { json: { status: 'ok' } });
  const fresh = await next.see();
  const [old] = past;
  t.match(old, { why: 'begun', tree_size: shown.tree_size, url: '/v1/tlog/past/1' });
  t.equal(fresh.entries[0]?.toString(), `wblogbegin/v1\n${seen.note}`, 'it names the one before');
  const kept = seen.entries.slice(0, before.tree_size).map(String);
  t.same(fresh.entries.slice(1, before.tree_size + 1).map(String), kept, 'and has its entries');
  const verified = await next.ask(`/v1/workbooks/${next.id}/verify`, {});
  t.match(verified.json, { ok: true, firstBad: null, unpublished: 0 });
  await next.write(2);
  checkGrown(fresh, await next.until(isCaughtUp).then(() => next.see()));
  const note = await fetch(`${service.url}/v1/tlog/past/1/checkpoint`);
  t.equal(await note.text(), seen.note, 'the end of the old log stays readable');
  await service.stop();
  t.match(await runLogCommand(['status'], settings), { code: 0, output: /The log goes on/ });
});

t.test('an older tree is adopted on purpose, and never by accident', async (t) => {
  await rm(data, { recursive: true });
  await rename(join(folder, 'halted'), data);
  const refused = [
    [['adopt'], 2, /adopt takes --size/],
    [['adopt', '--size', '9999'], 1, /has size \d+, not 9999/],
  ] as const;
  for (const [parameters, code, output] of refused) {
    t.match(await runLogCommand(parameters, settings), { code, output });
  }
  const { output } = await runLogCommand(['status'], settings);
  const [, size = ''] = /--size (\d+)/.exec(output) ?? [];
  const adopted = await runLogCommand(['adopt', '--size', size], settings);
  t.equal(adopted.code, 0, adopted.output);
  let service = await ServiceProcess.start(t, data, settings);
  const client = new Client(service.url);
  await client.register();
  await client.write(3);
  const after = await client.until(isCaughtUp);
  t.ok(after.tree_size > Number(size));
  t.match(after.past, [{ why: 'adopted' }]);
  const seen = await client.see();
  t.match(await client.ask('/ready'), { json: { status: 'ok' } });
  await service.stop();
  const again = await runLogCommand(['adopt', '--size', String(after.tree_size)], settings);
  t.match(again, { code: 1, output: /not halted: there is nothing to adopt/ });
  service = await ServiceProcess.start(t, data, settings);
  checkGrown(seen, await client.at(service.url).see());
  await service.stop();
});

t.test('a log under a new name and key is begun, not halted for ever', async (t) => {
  const renamed = { ...settings, TLOG_ORIGIN: 'new.example/log' };
  const halting = await ServiceProcess.start(t, data, renamed);
  const { halted } = await new Client(halting.url).until(({ halted: why }) => why !== null);
  t.match(halted, /the log began as .*npm run log -- begin/);
  await halting.stop();
  const same = await runLogCommand(['begin', '--origin', 'other'], renamed);
  t.match(same, { code: 1, output: /TLOG_ORIGIN is new\.example\/log/ });
  const begun = await runLogCommand(['begin'], renamed);
  t.equal(begun.code, 0, begun.output);
  const service = await ServiceProcess.start(t, data, renamed);
  const client = new Client(service.url);
  const { origin, past } = await client.until(isCaughtUp);
  t.equal(origin, 'new.example/log');
  t.same(
    past.map(({ why }) => why),
    ['adopted', 'begun'],
  );
  // A log that has just begun signs its first checkpoint in the background.
  while ((await fetch(`${service.url}/v1/tlog/checkpoint`)).status === 503) await sleep(100);
  await client.see();
  await service.stop();
});

t.test('what is no command is told apart', async (t) => {
  for (const parameters of [[], ['fork'], ['status', '--size', '1'], ['verify'], ['begin', 'x']]) {
    const { code, output } = await runLogCommand(parameters, settings);
    t.equal(code, 2, parameters.join(' '));
    t.match(output, 'npm run log -- <command>');
  }
  await writeFile(join(folder, 'nothing'), 'nothing');
  const parameters = ['verify', join(folder, 'nothing'), '--policy', join(folder, 'nothing')];
  t.equal((await runLogCommand(parameters)).code, 1);
});
