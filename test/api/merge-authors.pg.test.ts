import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface Agent {
  readonly credential: string;
  readonly userId: string;
}

async function register(service: TestService, name: string): Promise<Agent> {
  const body = { type: 'anonymous', client: { name } };
  const { json } = await service.request('/agent/auth', { body });
  const { credential, user_id: userId } = (json as { data: Record<string, string> }).data;
  if (credential === undefined || userId === undefined) throw new Error(JSON.stringify(json));
  return { credential, userId };
}

/** A workbook of Ann, who merges, to which Bob and Cem write. */
class Team {
  readonly settings: Readonly<Record<string, string>>;
  readonly agents: Readonly<Record<string, Agent>>;
  book: Book;

  private constructor(book: Book, { settings, agents }: Pick<Team, 'settings' | 'agents'>) {
    this.book = book;
    this.settings = settings;
    this.agents = agents;
  }

  static async meet(t: Test): Promise<Team> {
    const folder = await makeTemporaryFolder(t);
    const objects = pathToFileURL(`${folder}/objects`).href;
    const database = await createMigratedDatabase();
    const settings = { DATA_DIR: folder, DATABASE_URL: database, OBJECT_STORE_URL: objects };
    const service = await TestService.start(t, settings, { formulas: new Formulas() });
    return Team.of(service, settings);
  }

  static async of(service: TestService, settings: Team['settings']): Promise<Team> {
    const [ann, bob, cem] = [
      await register(service, 'Ann'),
      await register(service, 'Bob'),
      await register(service, 'Cem'),
    ];
    const book = await Book.create(service, ann);
    for (const { userId } of [bob, cem]) {
      const body = { role: 'editor' };
      const answer = await book.ask(`/collaborators/${userId}`, { method: 'PUT', body });
      if (answer.status >= 300) throw new Error(answer.text);
    }
    return new Team(book, { settings, agents: { ann, bob, cem } });
  }

  /** As `who`, who writes under a name of the client's choice. */
  async write(who: string, branch: string, ...ops: { kind: string; payload: object }[]) {
    const { service, id } = this.book;
    const path = `/v1/workbooks/${id}/branches/${encodeURIComponent(branch)}/ops`;
    const { credential } = this.agents[who] ?? { credential: '' };
    const body = { ops, writer: `${who}'s laptop` };
    const answer = await service.request(path, { credential, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { head: number }).head;
  }

  async fork(name: string, from = 'main'): Promise<void> {
    const answer = await this.book.ask('/branches', { body: { name, from } });
    if (answer.status !== 201) throw new Error(answer.text);
  }

  /** Ann merges, with `choice` for all that is contested. */
  async merge(source: string, target: string, resolution?: object): Promise<string> {
    const { book } = this;
    const made = await book.ask('/merges', { body: { source, target } });
    const { id } = made.json as { id: string };
    if (resolution) {
      const { json } = await book.ask(`/merges/${id}/conflicts`);
      const { conflicts } = json as { conflicts: { id: string }[] };
      const resolutions = conflicts.map((one) => ({ id: one.id, ...resolution }));
      await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    }
    const done = await book.ask(`/merges/${id}/approve`, { body: {} });
    if (done.status !== 200) throw new Error(done.text);
    return id;
  }

  /** By cell: who wrote it under which name where, and by which merge it came. */
  async blame(range: string, ref = 'main'): Promise<Record<string, unknown>> {
    const { json, text, status } = await this.book.ask(
      `/blame?ref=${encodeURIComponent(ref)}&range=${range}`,
    );
    if (status !== 200) throw new Error(text);
    const { cells } = json as { cells: BlamedCell[] };
    return Object.fromEntries(
      cells.map(({ cell, by, writer, branch, seq, merge }) => {
        const place = `${branch}@${seq}`;
        return [cell, [by, writer, place, merge && [merge.id, merge.by, merge.seq]]];
      }),
    );
  }

  async restart(t: Test): Promise<void> {
    await this.book.service.app.stop();
    const service = await TestService.start(t, this.settings, { formulas: new Formulas() });
    this.book = this.book.at(service);
  }
}

interface BlamedCell {
  readonly cell: string;
  readonly by: string;
  readonly actor: string;
  readonly writer: string;
  readonly branch: string | null;
  readonly seq: number;
  readonly merge: { readonly id: string; readonly by: string; readonly seq: number } | null;
}

const set = (...cells: [a1: string, input: unknown][]) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: cells.map(([a1, input]) => ({ a1, input })) },
});

/** One service for the tests of this file. */
let first: Promise<Team> | undefined;

async function meet(): Promise<Team> {
  first ??= Team.meet(t);
  const { book, settings } = await first;
  return Team.of(book.service, settings);
}

t.test('through several merges it is the first operation that counts', async (t) => {
  const team = await meet();
  await team.write('ann', 'main', set(['A1', 1], ['A2', 2]));
  await team.fork('side');
  await team.fork('deep', 'side');
  await team.write('bob', 'deep', set(['B1', 'deep']));
  await team.write('cem', 'main', set(['C1', 'main']));
  await team.merge('main', 'side');
  await team.merge('deep', 'side');
  await team.write('cem', 'side', set(['D1', 'side']));
  const id = await team.merge('side', 'main');
  const merged = [id, 'Ann', 4];
  t.same(await team.blame('A1:D1'), {
    A1: ['Ann', "ann's laptop", 'main@2', null],
    B1: ['Bob', "bob's laptop", 'deep@1', merged],
    C1: ['Cem', "cem's laptop", 'main@3', null],
    D1: ['Cem', "cem's laptop", 'side@3', merged],
  });
  const { json } = await team.book.ask('/blame?ref=side&range=B1:C1');
  t.match(json, {
    cells: [
      { by: 'Bob', branch: 'deep', merge: { branch: 'side', seq: 2 } },
      { by: 'Cem', branch: 'main', merge: { branch: 'side', seq: 1 } },
    ],
  });
  await team.write('bob', 'deep', set(['B1', 'later']));
  await team.merge('deep', 'main', { choice: 'theirs' });
  t.match(await team.blame('B1'), { B1: ['Bob', "bob's laptop", 'deep@2'] });
});

t.test('conflicts name both, and who chose something else is its author', async (t) => {
  const team = await meet();
  await team.write('ann', 'main', set(['A1', 1], ['A2', 2], ['A3', 3]));
  await team.fork('deep');
  await team.fork('side');
  await team.write('bob', 'deep', set(['A1', 'bob'], ['A2', 'bob']));
  await team.merge('deep', 'side');
  await team.write('cem', 'main', set(['A1', 'cem'], ['A2', 'cem']));
  const made = await team.book.ask('/merges', { body: { source: 'side', target: 'main' } });
  const { id } = made.json as { id: string };
  const { json } = await team.book.ask(`/merges/${id}/conflicts`);
  const { conflicts } = json as { conflicts: { id: string }[] };
  const ours = { by: 'Cem', actor: team.agents['cem']?.userId, writer: "cem's laptop" };
  const theirs = { by: 'Bob', writer: "bob's laptop", at: 'deep@1', merge: { at: 'side@1' } };
  t.match(conflicts, [
    { ours, theirs },
    { ours, theirs },
  ]);
  const [a1, a2] = conflicts.map((one) => one.id);
  const resolutions = [
    { id: a1, choice: 'theirs' },
    { id: a2, choice: 'custom', input: 'ann' },
  ];
  await team.book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
  await team.book.ask(`/merges/${id}/approve`, { body: {} });
  t.match(await team.blame('A1:A3'), {
    A1: ['Bob', "bob's laptop", 'deep@1', [id]],
    A2: ['Ann', 'merge', 'main@4', null],
    A3: ['Ann', "ann's laptop", 'main@2', null],
  });
  const reverted = await team.book.ask('/merges', { body: { revertOf: id } });
  const { id: back } = reverted.json as { id: string };
  await team.book.ask(`/merges/${back}/approve`, { body: {} });
  t.match(await team.blame('A1:A3'), {
    A1: ['Ann', 'merge', 'main@5', null],
    A2: ['Ann', 'merge', 'main@5', null],
    A3: ['Ann', "ann's laptop", 'main@2', null],
  });
});

t.test('blame and diff name who wrote on the branch that was merged', async (t) => {
  const team = await meet();
  await team.write('ann', 'main', set(['A1', 1], ['B3', 'old'], ['C3', 3]));
  await team.fork('side');
  await team.write('bob', 'side', set(['B3', 'new']));
  const bold = { sheet: 'Sheet1', range: 'A1', style: { bold: true } };
  await team.write('cem', 'side', set(['D4', '=A1']), { kind: 'format.set', payload: bold });
  await team.write('ann', 'main', set(['C3', 4]), {
    kind: 'rows.insert',
    payload: { sheet: 'Sheet1', before: 2 },
  });
  const id = await team.merge('side', 'main');
  const merged = [id, 'Ann', 5];
  const expected = {
    A1: ['Ann', "ann's laptop", 'main@2', null],
    B4: ['Bob', "bob's laptop", 'side@1', merged],
    C4: ['Ann', "ann's laptop", 'main@3', null],
    D5: ['Cem', "cem's laptop", 'side@2', merged],
  };
  t.same(await team.blame('A1:Z9'), expected);
  const { json } = await team.book.ask('/blame?range=A1');
  t.match(json, { cells: [{ format: { by: 'Cem', seq: 3, merge: { id, by: 'Ann' } } }] });

  const diff = (await team.book.ask('/diff?from=main@4&to=main')).json;
  const bob = team.agents['bob']?.userId;
  const at = { id, by: 'Ann', writer: 'merge', at: 'main@5' };
  t.match(diff, {
    cells: [
      { by: 'Bob', actor: bob, writer: "bob's laptop", at: 'side@1', merge: at },
      { by: 'Cem', at: 'side@2', merge: at },
    ],
  });
  t.match((await team.book.ask('/branches/main/ops?after=4')).json, {
    ops: [{ by: 'Ann', actor: team.agents['ann']?.userId, writer: 'merge', kind: 'merge' }],
  });

  await team.restart(t);
  t.same(await team.blame('A1:Z9'), expected, 'by a process that has never seen it');
  await team.book.ask('/branches/side', { method: 'DELETE' });
  await team.fork('side');
  const gone = { ...expected, B4: ['Bob', "bob's laptop", 'null@1', merged] };
  t.same(await team.blame('A1:C9'), { A1: gone.A1, B4: gone.B4, C4: gone.C4 });
  const after = (await team.book.ask('/diff?from=main@4&to=main')).json as {
    cells: { at?: string }[];
  };
  t.match(after, { cells: [{ by: 'Bob', merge: { id } }, { by: 'Cem' }] });
  t.equal(after.cells[0]?.at, undefined, 'another branch has the name by now');
});
