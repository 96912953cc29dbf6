import process from 'node:process';
import { parseArgs } from 'node:util';

import { ConfigError, readConfig } from './config.ts';
import { realEnvironment } from './foundation.ts';
import { StartRefused } from './model/start-refused.ts';
import { Storage } from './storage/storage.ts';
import { AdoptionRefused, type StoreLook, type StoreMark } from './storage/store-mark.ts';

/** `npm run store -- …`: which object store belongs to which database, decided by hand. */

const usage = `npm run store -- <command>

  status                   the marks of the database and of the object store, and how many objects
                           that the database knows of are there
  adopt [--with-losses]    take the store for this database: both get a new mark, and any other
                           service that uses the store is refused at its next start

Both take the settings of the service, docs/settings.md. Stop the service first.
docs/backups.md says when to use them.
`;

/** The typed text is not a command. */
class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

interface Typed {
  readonly command: 'status' | 'adopt';
  readonly isLossTaken: boolean;
}

function readArguments(args: readonly string[]): Typed {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { 'with-losses': { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [command = '', ...rest] = positionals;
    const isLossTaken = values['with-losses'];
    if (command === '') throw new UsageFault();
    if (command !== 'status' && command !== 'adopt')
      throw new UsageFault(`there is no command ${command}`);
    if (rest.length > 0) throw new UsageFault(`${command} takes no ${rest[0]}`);
    if (isLossTaken && command === 'status') throw new UsageFault('status takes no --with-losses');
    return { command, isLossTaken };
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function linesOf({ database, store, lookedAt, missing }: StoreLook): string[] {
  const found = `${lookedAt - missing.length} of ${lookedAt} objects that were looked for are there`;
  const [first] = missing;
  return [
    `database        ${database ?? 'without a mark yet'}`,
    `object store    ${store ?? 'without a mark'}`,
    `history         ${found}${first === undefined ? '' : `; missing is ${first}`}`,
  ];
}

async function carryOut({ command, isLossTaken }: Typed, mark: StoreMark): Promise<void> {
  if (command === 'status') {
    say(...linesOf(await mark.look()));
    return;
  }
  say(
    `The database and the store are ${await mark.adopt({ isLossTaken })} now. Start Quire again.`,
  );
}

async function run(given: readonly string[]): Promise<void> {
  const typed = readArguments(given);
  const storage = await Storage.open({
    ...readConfig(),
    nodeId: 'store',
    environment: realEnvironment,
    isStoreCompared: false,
    onEvent: (message) => process.stderr.write(`${message}\n`),
  });
  try {
    await carryOut(typed, storage.storeMark());
  } finally {
    await storage.close();
  }
}

/** Returns whether an error is told in a sentence. */
function isForPeople(error: unknown): error is Error {
  return [AdoptionRefused, ConfigError, StartRefused].some((kind) => error instanceof kind);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageFault) {
    process.stderr.write(`${error.message === '' ? '' : `${error.message}\n\n`}${usage}`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`${isForPeople(error) ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
