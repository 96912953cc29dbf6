import process from 'node:process';
import { parseArgs, type ParseArgsConfig } from 'node:util';

import { ConfigError } from './config.ts';
import { StartRefused } from './model/start-refused.ts';

/** The typed text is not a command. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

/** The option and the file that a command takes beside its name. */
export interface CommandRule {
  readonly option?: string;
  readonly hasFile?: boolean;
}

export interface OperatorCommand {
  readonly usage: string;
  /** Errors that are for a person, beside those of settings and of the start. */
  readonly told: readonly (abstract new (...given: never[]) => Error)[];
  readonly run: (args: readonly string[]) => Promise<void>;
}

/** Reads a command with its option and its file; fails with `UsageFault`. */
export function readTyped<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  commands: ReadonlyMap<string, CommandRule>,
) {
  const { values, positionals } = parsed(args, options);
  const [command = '', ...words] = positionals;
  const rule = commands.get(command);
  if (!rule) throw new UsageFault(command && `there is no command ${command}`);
  const strange = Object.keys(values).find((name) => name !== rule.option);
  if (strange !== undefined) throw new UsageFault(`${command} takes no --${strange}`);
  const [file, ...rest] = rule.hasFile === true ? words : [undefined, ...words];
  if (rest.length > 0) throw new UsageFault(`${command} takes no ${rest[0]}`);
  return { command, file, options: values };
}

function parsed<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

export function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Runs a command of this process; it ends with 2 for a wrong use, and with 1 for a failure. */
export async function runTyped({ usage, told, run }: OperatorCommand): Promise<void> {
  try {
    await run(process.argv.slice(2));
  } catch (error) {
    if (error instanceof UsageFault) {
      process.stderr.write(`${error.message === '' ? '' : `${error.message}\n\n`}${usage}`);
      process.exitCode = 2;
    } else {
      // An error for a person is told in a sentence; any other one is a fault of the program.
      const isTold = [ConfigError, StartRefused, ...told].some((kind) => error instanceof kind);
      const text = isTold && error instanceof Error ? error.message : String(error);
      process.stderr.write(`${text}\n`);
      process.exitCode = 1;
    }
  }
}
