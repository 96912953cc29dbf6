import { readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { argumentsMost, checkArguments } from '../../client/cli/arguments.ts';
import { commands } from '../../client/cli/commands.ts';
import { helpOf, overview } from '../../client/cli/help.ts';
import { root } from '../support/sources.ts';
import { QuireCommand } from '../support/quire-command.ts';

const run = promisify(execFile);

async function quire(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [QuireCommand.main, ...args]);
  return stdout;
}

t.test('the page has the help of every command, to the letter', async (t) => {
  const page = await readFile(join(root, 'docs/cli.md'), 'utf8');
  const sections = new Map(
    [...page.matchAll(/^### (\w+)\n\n```text\n([^]*?)\n```/gm)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  t.same(
    [...sections.keys()],
    commands.map(({ name }) => name),
  );
  for (const command of commands) {
    t.equal(sections.get(command.name), helpOf(command), command.name);
  }
  t.equal(/^## Commands\n\n```text\n([^]*?)\n```/m.exec(page)?.[1], overview());
});

t.test('each usage tells how many arguments a command takes', (t) => {
  const most = Object.fromEntries(
    commands.map(({ name, arguments: usage }) => [name, argumentsMost(usage)]),
  );
  t.match(most, { login: 0, claim: 1, ls: 0, new: 1, export: 1, get: 2, set: Infinity, find: 2 });
  t.match(most, { edge: 3, scenario: Infinity, ops: 2, watch: 2, log: 1, branch: 2, commit: 1 });
  t.match(most, { diff: 3, merge: 2, undo: 2, table: 4, match: 3, proof: 1, policy: 0, verify: 1 });
  t.match(most, { serve: 0, mcp: 0, open: 2, completion: 1 });
  t.throws(() => checkArguments({ name: 'ls', arguments: '[--archived]' }, ['x']), /too many/);
  t.end();
});

t.test('no argument takes a secret, as others read arguments in lists of processes', (t) => {
  for (const { name, options = {}, arguments: given } of commands) {
    const valued = Object.entries(options).filter(([, { value }]) => value !== undefined);
    const names = valued.flatMap(([option, { value = '' }]) => [option, value]);
    const places = [...names, ...given.matchAll(/<[^>]+>/g)].join(' ');
    t.notMatch(places, /\bkey\b|token|secret|passw/, name);
  }
  t.end();
});

t.test('help is asked for in each way that people try', async (t) => {
  t.equal(await quire('--help'), `${overview()}\n`);
  t.equal(await quire('help', 'merge'), await quire('merge', '--help'));
  t.match(await quire('import', '-h'), /^Create one, /);
  t.match(await quire('--version'), /^\d+\.\d+\.\d+\n$/);
  await t.rejects(quire(), { code: 2 });
  for (const line of overview().split('\n')) t.ok(line.length <= 100, line);
});

t.test('completion knows every command and every option', async (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await quire('completion', shell);
    for (const { name, aliases = [], options = {} } of commands) {
      for (const word of [name, ...aliases, ...Object.keys(options)]) {
        t.match(script, new RegExp(`\\b${word}\\b`), `${shell}: ${word}`);
      }
    }
  }
  const script = await quire('completion', 'bash');
  const asked = `${script}
COMP_WORDS=(quire me); COMP_CWORD=1; _quire; echo "\${COMPREPLY[@]}"
COMP_WORDS=(quire merge --thei); COMP_CWORD=2; _quire; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', asked]);
  t.equal(stdout, 'merge\n--theirs\n');
});
