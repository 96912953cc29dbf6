import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';

import { commands } from '../../client/cli/commands.ts';
import { caseCount } from '../support/case-count.ts';
import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { isLeftOut } from '../support/outside-program.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { inTerminal, missingTerminal } from '../support/terminal.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: each command as text, in a terminal and in a pipe. */

/**
 * Every command in a terminal, as text and with `--json`; commands.pg.test.ts has the same in pipes.
 * A terminal shows both standard output and standard error.
 */

/** Commands that other files have: one runs until it is ended, one reads messages of programs. */
const elsewhere = new Set(['serve', 'mcp']);

interface Row {
  /** The command; `at` is 0 for the run as text, and 1 for that with `--json`. */
  readonly words: (at: 0 | 1) => readonly string[];
  /** Text that is shown; JSON has only to be JSON. */
  readonly shows: RegExp;
  /** Prints a file, whatever else is asked for. */
  readonly isFile?: true;
  /** Done in a pipe before. */
  readonly before?: (at: 0 | 1) => Promise<unknown>;
  /** Done again and again until the command ends. */
  readonly meanwhile?: () => Promise<unknown>;
}

const keyForm = /wbk_live_\w+/;
const stackForm = /\n\s+at .*:\d+/;

interface World {
  readonly quire: QuireCommand;
  readonly service: TestService;
  readonly book: string;
}

async function makeWorld(t: Test): Promise<World> {
  const service = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, service.url);
  const input = `${await service.registerClaimed()}\n`;
  t.equal((await quire.run(['login', '--with-key'], { input })).code, 0);
  const rows = [['Tea', 2.5, '=B1*2']];
  await writeFile(
    join(quire.home, 'plan.json'),
    JSON.stringify({ sheets: [{ name: 'Plan', rows }] }),
  );
  const ops = ['Left', 'Right'].flatMap((name) => [
    {
      kind: 'table.create',
      payload: { name, keyColumn: 'Item', schema: { columns: [{ name: 'Item' }] } },
    },
    { kind: 'rows.import', payload: { table: name, columns: ['Item'], rows: [['Tea'], ['Rice']] } },
  ]);
  await writeFile(join(quire.home, 'tables.json'), JSON.stringify(ops));
  const one = { kind: 'cells.set', payload: { sheet: 'Plan', cells: [{ a1: 'D9', input: 9 }] } };
  await writeFile(join(quire.home, 'one.json'), JSON.stringify([one]));
  const book = await quire.text('new', 'plan', '--from', 'plan.json');
  await quire.text('ops', book, 'tables.json');
  return { quire, service, book };
}

function signingIn({ quire, service }: World): Record<string, Row> {
  const emails = [newEmail(), newEmail()] as const;
  const codes = ['', ''];
  const profile = (at: 0 | 1) => ['--profile', `p${at}`];
  return {
    login: { words: (at) => ['login', '--anonymous', ...profile(at)], shows: /^Signed in at http/ },
    claim: {
      before: async (at) => {
        const sent = await quire.run(['claim', emails[at], ...profile(at)]);
        if (sent.code !== 6) throw new Error(sent.stderr);
        codes[at] = (await letterTo(service.url, emails[at])).code;
      },
      words: (at) => ['claim', emails[at], '--code', codes[at] ?? '', ...profile(at)],
      shows: /^Claimed by .*, as usr_/,
    },
    whoami: { words: (at) => ['whoami', ...profile(at)], shows: /^usr_\w+.* may read/ },
    usage: { words: () => ['usage'], shows: /^Plan \w+/ },
    logout: { words: (at) => ['logout', ...profile(at)], shows: /^The key was revoked/ },
  };
}

function workbooks({ quire, book }: World): Record<string, Row> {
  const spare = ['', ''];
  return {
    ls: { words: () => ['ls'], shows: /\/plan$/m },
    new: { words: (at) => ['new', `n${at}`, '--from', 'plan.json'], shows: /^wb_\w+$/m },
    export: { words: () => ['export', book], shows: /Tea,2.5,5/, isFile: true },
    archive: {
      before: async (at) => (spare[at] = await quire.text('new', `spare${at}`)),
      words: (at) => ['archive', spare[at] ?? ''],
      shows: /is archived/,
    },
    restore: { words: (at) => ['restore', spare[at] ?? ''], shows: /is back/ },
    purge: { words: (at) => ['purge', spare[at] ?? '', '-y'], shows: /deleted|gone|purged/ },
  };
}

function cells({ quire, book }: World): Record<string, Row> {
  let count = 0;
  return {
    get: { words: () => ['get', book, 'Plan!A1:C1'], shows: /^ +A +B +C\n1 +Tea +2.5 +5/ },
    set: { words: (at) => ['set', book, `Plan!D${at + 1}`, '7'], shows: /applied|now at main@/ },
    find: { words: () => ['find', book, 'tea'], shows: /^Plan!A1/ },
    edge: { words: () => ['edge', book, 'Plan!A1', 'right'], shows: /^Plan!\w+/ },
    scenario: { words: () => ['scenario', book, 'Plan!B1=10'], shows: /Plan!C1: 5 → 20/ },
    ops: { words: () => ['ops', book, 'one.json'], shows: /main@|applied|changed/ },
    watch: {
      words: () => ['watch', book, '--count', '1'],
      shows: /cells\.set/,
      meanwhile: () => quire.run(['set', book, 'Plan!E1', String(++count)]),
    },
  };
}

function history({ quire, book }: World): Record<string, Row> {
  const last = ['', ''];
  return {
    log: { words: () => ['log', book], shows: /main@\d+/ },
    branch: { words: (at) => ['branch', book, `q${at}`], shows: /begins at main/ },
    diff: {
      before: (at) => quire.text('set', `${book}@q${at}`, `Plan!F${at + 1}`, '7'),
      words: (at) => ['diff', book, 'main', `q${at}`],
      shows: /\+ Plan!F1|→ Plan!F1/,
    },
    merge: { words: (at) => ['merge', book, `q${at}`, '--approve'], shows: /is merged: main@\d+/ },
    undo: {
      before: async (at) => {
        await quire.text('set', book, `Plan!G${at + 1}`, '1');
        last[at] = String((await quire.json('log', book, '-n', '1'))['seq']);
      },
      words: (at) => ['undo', book, last[at] ?? ''],
      shows: /main@|applied|undone/,
    },
    commit: { words: (at) => ['commit', book, '--tag', `v${at}`], shows: /is commit:v0/ },
    checkpoint: { words: () => ['checkpoint', book], shows: /main is stored/ },
  };
}

function others({ book }: World): Record<string, Row> {
  return {
    table: { words: () => ['table', book], shows: /^Left .*key Item/m },
    match: { words: () => ['match', book, 'Left.Item', 'Right.Item'], shows: /Tea/ },
    proof: { words: () => ['proof', `${book}@main@2`], shows: /^c2sp\.org\/tlog-proof/ },
    policy: { words: () => ['policy'], shows: /^log / },
    verify: { words: () => ['verify', book], shows: /is what was written/ },
    open: { words: () => ['open', book], shows: /^http.*console\/wb_/ },
    completion: { words: () => ['completion', 'bash'], shows: /complete/, isFile: true },
  };
}

async function runIn(quire: QuireCommand, row: Row, at: 0 | 1) {
  const { meanwhile } = row;
  await row.before?.(at);
  const words = [...row.words(at), ...(at === 1 ? ['--json'] : [])];
  const running = inTerminal(quire, '', ...words);
  const timer = meanwhile && setInterval(() => void meanwhile(), 700);
  try {
    return { words, ...(await running) };
  } finally {
    clearInterval(timer);
  }
}

/** QUIRE_CASES=2 has them as JSON too, which is the same in a pipe: `commands` has that. */
const hasJson = caseCount(1) > 1;

t.test('every command works in a terminal, as text and as JSON', async (t) => {
  if (isLeftOut(t, missingTerminal)) return;
  const world = await makeWorld(t);
  const rows = Object.entries({
    ...signingIn(world),
    ...workbooks(world),
    ...cells(world),
    ...history(world),
    ...others(world),
  });
  const names = commands.map(({ name }) => name).filter((name) => !elsewhere.has(name));
  t.same(rows.map(([name]) => name).toSorted(), names.toSorted(), 'no command is left out');
  for (const [name, row] of rows) {
    const asText = await runIn(world.quire, row, 0);
    t.match(asText, { code: 0, text: row.shows }, name);
    checkSecrets(t, asText.raw);
    if (!hasJson) continue;
    const asJson = await runIn(world.quire, row, 1);
    t.equal(asJson.code, 0, `${asJson.words.join(' ')}: ${asJson.raw}`);
    const lines = asJson.raw.split(/\r?\n/).filter((line) => line !== '');
    t.ok(
      row.isFile ?? (lines.length > 0 && lines.every(isJson)),
      `${name}: ${asJson.raw.slice(0, 300)}`,
    );
    checkSecrets(t, asJson.raw);
  }
});

function checkSecrets(t: Test, printed: string): void {
  t.notMatch(printed, keyForm);
  t.notMatch(printed, stackForm);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
