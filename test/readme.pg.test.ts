import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import t from 'tap';

import { readXlsx } from '../workers/files/xlsx-read.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { TestService } from './support/test-service.ts';

/** Commands that a newcomer copies from README.md work, and give the answers that it shows. */

const root = import.meta.resolve('#package.json');
const readme = await readFile(new URL('README.md', root), 'utf8');

interface Step {
  readonly commands: string;
  /** One answer a line as the page shows them; `…` stands for any text. */
  readonly answers: readonly unknown[];
}

/** The ```sh blocks in their order, each with the ```jsonl block that follows it. */
function readSteps(markdown: string): Step[] {
  const blocks = markdown.matchAll(/```sh\n([^]*?)```(?:\s*```jsonl\n([^]*?)```)?/g);
  return [...blocks].map(([, commands = '', answers = '']) => ({
    commands,
    answers: answers.split(/\n(?=\S)/).flatMap((text) => {
      const line = text.trim();
      return line === '' ? [] : [JSON.parse(line) as unknown];
    }),
  }));
}

const separator = '=====';

/** Runs all steps in one shell, because each uses the variables of those before it. */
async function runSteps(steps: readonly Step[], folder: string, url: string): Promise<string[]> {
  const script = steps
    .map(({ commands }) => commands.replaceAll('http://127.0.0.1:8080', url))
    .join(`\necho '${separator}'\n`);
  const shell = spawn('sh', ['-eu', '-c', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output: string[] = [];
  shell.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const [code] = (await once(shell, 'close')) as [number | null];
  t.equal(code, 0, 'every command succeeds');
  return output.join('').split(`${separator}\n`);
}

/** A shown answer with its elisions turned into patterns. */
function patternOf(shown: unknown): unknown {
  if (typeof shown === 'string' && shown.includes('…')) {
    const parts = shown.split('…').map((part) => part.replaceAll(/[^\w ]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`);
  }
  if (Array.isArray(shown)) return shown.map(patternOf);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, patternOf(value)]));
}

t.test('the first requests of the README work as shown', async (t) => {
  const steps = readSteps(readme);
  t.equal(steps.length, 5, 'register, create, edit, read, export');
  const service = await TestService.start(t, {}, {});
  const folder = await makeTemporaryFolder(t);
  const outputs = await runSteps(steps, folder, service.url);
  t.equal(outputs.length, steps.length);
  for (const [index, { commands, answers }] of steps.entries()) {
    const lines = (outputs[index] ?? '').trim().split('\n').filter(Boolean);
    t.equal(lines.length, answers.length, `${commands}: one answer a line`);
    for (const [at, line] of lines.entries()) {
      t.match(JSON.parse(line), patternOf(answers[at]), `${commands}: answer ${at + 1}`);
    }
  }
  const exported = readXlsx(await readFile(`${folder}/prices.xlsx`), { keepValues: true });
  const cells = [...(exported.sheets[0]?.content.cells() ?? [])];
  t.match(
    cells.find(({ row, column }) => row === 2 && column === 1),
    { input: { formula: '=SUM(B1:B2)' }, value: 4.25 },
    'the file has formulas and values',
  );
});

t.test('every page that README.md names is there', async (t) => {
  const targets = [...readme.matchAll(/(?:\]\(|src="|srcset=")([^)"#:]+)[)"#]/g)].map(
    (match) => match[1] ?? '',
  );
  t.ok(targets.length > 5);
  for (const target of targets) {
    await t.resolves(readFile(new URL(target, root)), target);
  }
});
