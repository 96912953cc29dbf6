#!/usr/bin/env node
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Problem } from '../library/quire.ts';
import { checkArguments } from './arguments.ts';
import { everywhere, findCommand, type Command } from './commands.ts';
import { Context } from './context.ts';
import { helpOf, overview } from './help.ts';
import { environment } from './environment.ts';
import { hangUp } from './plain-fetch.ts';
import { exitCodeOf, exitCodes, notWritten, Stop, wordsOf } from './stop.ts';
import { Terminal } from './terminal.ts';

type Values = ReturnType<typeof parseArgs>['values'];

const version = '0.1.0';
const interrupted = 130;
/** Negative numbers are arguments and not options. */
const negative = /^-[\d.]/;
const mark = '\u0000';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, as `head` does, has what it wants.
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  const json = process.argv.includes('--json');
  const terminal = new Terminal({ json, quiet: false, noColor: true });
  process.exit(failed(terminal, notWritten('Standard output', error), false));
});
// Without standard error there is no place for a message.
process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
});

process.exitCode = await run(process.argv.slice(2));
hangUp();

async function run(argv: string[]): Promise<number> {
  let terminal = new Terminal({ json: argv.includes('--json'), quiet: false, noColor: false });
  let isVerbose = false;
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort(new Stop(interrupted, 'Interrupted.')));
  try {
    const [word = '', ...rest] = argv;
    if (word === '--version') return said(terminal, version);
    if (['', 'help', '--help', '-h'].includes(word)) return helpFor(terminal, rest[0], word);
    const command = findCommand(word);
    if (!command) throw unknown(word);
    const { values, positionals } = parsed(command, rest);
    if (values['help'] === true) return said(terminal, helpOf(command));
    isVerbose = values['verbose'] === true;
    terminal = new Terminal({
      json: values['json'] === true,
      quiet: values['quiet'] === true,
      noColor: values['no-color'] === true,
    });
    const args = positionals.map(unmarked);
    checkArguments(command, args);
    return await command.run(new Context({ args, values }, terminal, abort.signal));
  } catch (error) {
    return failed(terminal, error, isVerbose);
  }
}

function said(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.done;
}

function helpFor(terminal: Terminal, name: string | undefined, word: string): number {
  const command = name === undefined ? undefined : findCommand(name);
  if (name !== undefined && !command) throw unknown(name);
  terminal.print(command ? helpOf(command) : overview());
  return word === '' ? exitCodes.usage : exitCodes.done;
}

function unknown(word: string): Stop {
  if (word.startsWith('-')) {
    return new Stop(exitCodes.usage, `Options follow the command, as in \`quire ls ${word}\`.`);
  }
  return new Stop(exitCodes.usage, `There is no command ${word}. \`quire help\` lists them.`);
}

function parsed(command: Command, argv: string[]): { values: Values; positionals: string[] } {
  const known = Object.entries({ ...everywhere, ...command.options });
  const options = Object.fromEntries(
    known.map(([name, { value, short, multiple }]) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }];
    }),
  );
  const args = argv.map((text) => (negative.test(text) ? mark + text : text));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const plain = Object.entries(values).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map((one) => unmarked(one))];
      return [name, unmarked(value)];
    });
    return { values: Object.fromEntries(plain) as Values, positionals };
  } catch (error) {
    const reason = (error as Error).message.replace(/\. To specify.*$/s, '.');
    throw new Stop(exitCodes.usage, `${reason} \`quire ${command.name} --help\` lists them.`);
  }
}

function unmarked<Given>(value: Given): Given | string {
  return typeof value === 'string' ? value.replace(mark, '') : value;
}

/**
 * Prints an error in words or as the service answered it, and the stack of a bug when asked;
 * returns the exit code.
 */
function failed(terminal: Terminal, given: unknown, isVerbose: boolean): number {
  const error = given instanceof Error ? given : new Error(String(given));
  const code = exitCodeOf(error);
  if (terminal.isJson) {
    const problem = error instanceof Problem ? error : { detail: error.message };
    terminal.warn(JSON.stringify({ error: problem }));
    return code;
  }
  terminal.warn(`quire: ${wordsOf(error, environment.key !== undefined)}`);
  if (error instanceof Problem) {
    for (const { pointer, message } of error.errors) terminal.warn(`  ${pointer}: ${message}`);
    if (isVerbose && error.requestId !== undefined) terminal.warn(`  request ${error.requestId}`);
  } else if (isVerbose && !(error instanceof Stop)) terminal.warn(error.stack ?? '');
  return code;
}
