import process from 'node:process';

import { readConfig } from './config.ts';
import { realEnvironment } from './foundation.ts';
import { readTyped, runTyped, say, type CommandRule } from './operator-command.ts';
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

const commands: ReadonlyMap<string, CommandRule> = new Map([
  ['status', {}],
  ['adopt', { option: 'with-losses' }],
]);

function readArguments(args: readonly string[]) {
  return readTyped(args, { 'with-losses': { type: 'boolean' } }, commands);
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

async function carryOut(
  { command, options }: ReturnType<typeof readArguments>,
  mark: StoreMark,
): Promise<void> {
  if (command === 'status') {
    say(...linesOf(await mark.look()));
    return;
  }
  const isLossTaken = options['with-losses'] ?? false;
  const adopted = await mark.adopt({ isLossTaken });
  say(`The database and the store are ${adopted} now. Start Quire again.`);
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

await runTyped({ usage, told: [AdoptionRefused], run });
