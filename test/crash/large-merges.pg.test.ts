import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { testSeed } from '../support/test-seed.ts';

/** Runs long: two processes approve large merges, and die while they do. */

const [rowCount, columnCount] = [1_000, 15];
const triesMost = 60;

interface Merge {
  readonly id: string;
  readonly state: string;
  readonly stateHash: string;
  readonly result: { readonly seq: number } | null;
}

/** Processes of one service, which are killed and started again. */
class Pair {
  readonly #begin: (name: string) => Promise<ServiceProcess>;
  readonly #running = new Map<string, ServiceProcess>();

  private constructor(begin: (name: string) => Promise<ServiceProcess>) {
    this.#begin = begin;
  }

  static async start(t: Test): Promise<Pair> {
    const folder = await makeTemporaryFolder(t);
    const own = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', DEV_HOOKS: 'on' };
    const settings = { ...(await sharedSettings(t)), ...own };
    const pair = new Pair((name) => ServiceProcess.start(t, `${folder}/${name}`, settings));
    await Promise.all(['a', 'b'].map((name) => pair.restart(name)));
    return pair;
  }

  async restart(name: string): Promise<void> {
    await this.kill(name);
    this.#running.set(name, await this.#begin(name));
  }

  async kill(name: string): Promise<void> {
    await this.#running.get(name)?.kill();
  }

  door(name: string): ServiceDoor {
    return new ServiceDoor(this.#running.get(name)?.url ?? '');
  }
}

type OpenBook = Book<ServiceDoor>;

async function write(book: OpenBook, branch: string, kind: string, payload: object) {
  const body = { writer: 'w', ops: [{ kind, payload: { sheet: 'Sheet1', ...payload } }] };
  const { json, text } = await book.ask(`/branches/${branch}/ops`, { body });
  if ((json as { status: string }).status !== 'applied') throw new Error(text);
}

/** A workbook of which both branches have more changes than are merged in the serving thread. */
async function makeBook(door: ServiceDoor, credential: string): Promise<OpenBook> {
  const book = await Book.create(door, { credential });
  const inputs = (salt: number) =>
    Array.from({ length: rowCount }, (_, row) =>
      Array.from({ length: columnCount }, (__, column) => salt * 1e5 + row * 100 + column),
    );
  await write(book, 'main', 'range.set', { range: 'A1', inputs: inputs(1) });
  await book.ask('/branches', { body: { name: 'side' } });
  await write(book, 'side', 'range.set', { range: 'A1', inputs: inputs(2) });
  await write(book, 'main', 'rows.insert', { before: 5, count: 2 });
  await write(book, 'main', 'range.set', { range: 'R1', inputs: inputs(3) });
  return book;
}

/** The answer of a process that lives; undefined where it died meanwhile. */
async function asked(book: OpenBook, rest: string, body?: object) {
  try {
    return await book.ask(rest, body === undefined ? {} : { body });
  } catch {
    return undefined;
  }
}

async function mergeOf(book: OpenBook, id: string): Promise<Merge> {
  const { status, json, text } = await book.ask(`/merges/${id}`);
  if (status >= 300) throw new Error(text);
  return json as Merge;
}

/** Approves until the merge is applied. */
async function applied(book: OpenBook, id: string): Promise<Merge> {
  for (let tries = 0; tries < triesMost; tries++) {
    const merge = await mergeOf(book, id);
    if (merge.state === 'merged') return merge;
    await book.ask(`/merges/${id}/approve`, { body: {} });
    await sleep(20);
  }
  throw new Error('the merge cannot be applied');
}

t.test('a large merge is applied once, whichever process dies', async (t) => {
  const random = new SeededRandom(testSeed);
  t.comment(`seed ${testSeed}`);
  const pair = await Pair.start(t);
  const credential = await pair.door('a').register();
  for (let round = 0; round < caseCount(3); round++) {
    const made = await makeBook(pair.door('a'), credential);
    const proposed = await made.ask('/merges', { body: { source: 'side' } });
    const { id, stateHash } = proposed.json as Merge;
    const names = ['a', 'b'] as const;
    const approving = names.map(async (name) =>
      asked(made.at(pair.door(name)), `/merges/${id}/approve`, {}),
    );
    await sleep(random.between(0, 500));
    // In some rounds both live on, in some one dies, in some both.
    const dead = names.filter(() => random.between(0, 2) > 0);
    await Promise.all(dead.map((name) => pair.kill(name)));
    const answers = await Promise.all(approving);
    await Promise.all(dead.map((name) => pair.restart(name)));
    const said = answers.map((answer) => answer?.status).join(' and ');
    const at = `round ${round}, ${dead.join(' and ') || 'nobody'} dies, ${said}`;
    for (const answer of answers) {
      if (answer === undefined || answer.status === 200) continue;
      t.match(
        answer,
        { status: 409, json: { code: /^(?:merge_closed|stale_revision|digest_mismatch)$/u } },
        at,
      );
    }
    const merge = await mergeOf(made.at(pair.door('b')), id);
    if (answers.some((answer) => answer?.status === 200)) t.equal(merge.state, 'merged', at);
    const done = await applied(made.at(pair.door('b')), id);
    const { tlogIndex: _index, ...result } = { tlogIndex: null, ...done.result };
    for (const name of names) {
      const book = made.at(pair.door(name));
      // The log gives its entry an index a little later.
      t.match(await mergeOf(book, id), { ...done, result }, at);
      t.match(await book.ask('/branches/main/state'), { json: { stateHash } }, at);
      const { json } = await book.ask('/branches/main/ops?payload=false');
      const { ops } = json as { ops: readonly { kind: string; seq: number }[] };
      const seqs = ops.flatMap(({ kind, seq }) => (kind === 'merge' ? [seq] : []));
      t.same(seqs, [done.result?.seq], at);
    }
    const verified = await made.at(pair.door('a')).ask('/verify', { method: 'POST' });
    t.match(verified.json, { ok: true }, `${at}: ${verified.text.slice(0, 300)}`);
  }
});

t.test('a purge ends a large merge, at whichever process it is computed', async (t) => {
  const random = new SeededRandom(testSeed + 1);
  const pair = await Pair.start(t);
  const credential = await pair.door('a').registerClaimed();
  for (let round = 0; round < caseCount(3); round++) {
    const made = await makeBook(pair.door('a'), credential);
    const { id } = (await made.ask('/merges', { body: { source: 'side' } })).json as Merge;
    await write(made, 'main', 'cells.set', { cells: [{ a1: 'Z1', input: round }] });
    const [near, far] = [made, made.at(pair.door('b'))];
    const paths = [`/merges/${id}`, `/merges/${id}/diff`, '/diff?from=main&to=side'];
    const asking = [near, far].flatMap((book) => [
      ...paths.map((rest) => asked(book, rest)),
      asked(book, '/merges', { source: 'side', dryRun: true }),
      asked(book, `/merges/${id}/approve`, {}),
    ]);
    await sleep(random.between(0, 300));
    t.match(await near.purge(await near.archive()), { status: 200 });
    for (const answer of await Promise.all(asking)) {
      const { status = 0, json, text = '' } = answer ?? {};
      if (status === 200) continue;
      const code = /^(?:not_found|workbook_archived|merge_closed)$/u;
      t.match({ status, json }, { json: { code, hint: /./u } }, text.slice(0, 300));
      t.ok(status === 404 || status === 409, `${status}`);
    }
    for (const book of [near, far]) {
      t.match(await book.ask(`/merges/${id}`), { status: 404, json: { code: 'not_found' } });
    }
  }
});
