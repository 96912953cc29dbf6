import { readFile, rename } from 'node:fs/promises';
import process from 'node:process';

import { readRecord } from './branches/segment.ts';
import { readConfig, type Config } from './config.ts';
import { realEnvironment } from './foundation.ts';
import { readTyped, runTyped, say, UsageFault, type CommandRule } from './operator-command.ts';
import { Storage } from './storage/storage.ts';
import { FormatFault, ProofFault } from './tlog/encoding/fault.ts';
import { leafHashOf, parseOpening } from './tlog/leaf/commitment.ts';
import { isOperationOpening, verifyOperationFile } from './tlog/leaf/operation-opening.ts';
import { formatStatement } from './tlog/leaf/statement.ts';
import { nodeCrypto } from './tlog/node-crypto.ts';
import { parsePolicy, type Policy } from './tlog/note/policy.ts';
import {
  parseProofFile,
  verifyProofFile,
  type VerifiedCheckpoint,
} from './tlog/note/proof-file.ts';
import { RecoveryRefusal, LogRecovery, type LogStatus } from './tlog/past/recovery.ts';
import { LogInUse, PastTable } from './tlog/past/sql.ts';
import { ForkCheck } from './tlog/service/fork-check.ts';
import { LogMemory } from './tlog/service/memory.ts';
import { LogSigner, readSeeds } from './tlog/service/signing-keys.ts';
import { LogTable } from './tlog/service/sql.ts';
import { TileStore } from './tlog/service/tile-store.ts';

/** `npm run log -- …`: what people do with the log by hand. */

const usage = `npm run log -- <command>

  status                         what the database, the object store and this machine know of the
                                 log, and why it halts, if it does
  adopt --size <n>               go on with the tree of the database, of this size, although the
                                 world has seen another: whoever has can prove the two apart
  begin [--origin <name>]        end the log, and begin another with a new name and a new key; all
                                 entries go into it, and the old one stays readable
  verify <file> --policy <file>  check a .tlog-proof offline, of a statement or of one operation

status, adopt and begin take the settings of the service, docs/settings.md. Stop the service first.
docs/transparency-log.md says what each of them means.
`;

const commands: ReadonlyMap<string, CommandRule> = new Map([
  ['status', {}],
  ['adopt', { option: 'size' }],
  ['begin', { option: 'origin' }],
  ['verify', { option: 'policy', hasFile: true }],
]);

const word = { type: 'string' } as const;

function readArguments(args: readonly string[]) {
  return readTyped(args, { size: word, origin: word, policy: word }, commands);
}

type Typed = ReturnType<typeof readArguments>;

async function verify({ file, options }: Typed): Promise<void> {
  const policyFile = options.policy;
  if (file === undefined) throw new UsageFault('verify takes a file');
  if (policyFile === undefined) {
    throw new UsageFault(
      'verify takes --policy, a file that says whom you trust: GET /v1/tlog/policy answers one',
    );
  }
  const policy = parsePolicy(nodeCrypto.sha256, await readFile(policyFile, 'utf8'));
  const text = await readFile(file, 'utf8');
  for (const proof of proofsIn(text)) await verifyOne(policy, proof);
}

/** A file as it is, or those in a JSON answer of `GET …/proofs`. */
function proofsIn(text: string): string[] {
  if (!text.startsWith('{')) return [text];
  const { proofs = [] } = JSON.parse(text) as { proofs?: { proof: string | null }[] };
  const found = proofs.flatMap(({ proof }) => (proof === null ? [] : [proof]));
  if (found.length === 0) throw new FormatFault('the answer has no proofs');
  return found;
}

async function verifyOne(policy: Policy, text: string): Promise<void> {
  const proof = parseProofFile(text);
  const extra = proof.extra ?? new Uint8Array();
  if (extra.length === 0)
    throw new FormatFault('the proof does not say what it is of: it has no extra');
  if (!isOperationOpening(extra)) {
    const opening = parseOpening(extra);
    const leafHash = leafHashOf(nodeCrypto.sha256, opening);
    const verified = await verifyProofFile(nodeCrypto, policy, leafHash, proof);
    say(...provenBy(verified, proof.index), formatStatement(opening.statement));
    return;
  }
  const verified = await verifyOperationFile(nodeCrypto, policy, text);
  const { opening, record, proof: operation } = verified;
  const { workbook, branch } = opening.statement;
  say(
    ...provenBy(verified, proof.index),
    `operation ${operation.seq} of branch ${branch} of ${workbook}:`,
    JSON.stringify(readRecord(Buffer.from(record)), undefined, 2),
    '',
  );
}

function provenBy({ checkpoint, note }: VerifiedCheckpoint, index: number): string[] {
  const witnesses = note.signatures.flatMap(({ key, timeSeconds }) =>
    timeSeconds === undefined
      ? []
      : [`seen by ${key.name} at ${new Date(timeSeconds * 1000).toISOString()}`],
  );
  const { origin, size } = checkpoint;
  return [`proven: entry ${index} of ${origin}, in the tree of size ${size}`, ...witnesses];
}

interface CommandContext {
  readonly recovery: LogRecovery;
  readonly config: Config;
  /** The name of the log in the database; null if it has none yet. */
  readonly origin: string | null;
}

/** Opens the storage as the service does, does some work and closes it. */
async function withRecovery(work: (context: CommandContext) => Promise<void>): Promise<void> {
  const config = readConfig();
  const storage = await Storage.open({
    ...config,
    nodeId: 'log',
    environment: realEnvironment,
    onEvent: (message) => process.stderr.write(`${message}\n`),
  });
  try {
    const { sql, objects } = storage;
    const table = new LogTable(sql);
    const state = await table.state();
    // Under the name it has: what the settings call it now may be what halts it.
    const origin = state.origin ?? config.tlogOrigin ?? 'a log without a name';
    const signer = new LogSigner(origin, await readSeeds(config.tlogKeyFile, realEnvironment));
    const report = (step: string, error: unknown): void => {
      process.stderr.write(`could not ${step}: ${String(error)}\n`);
    };
    const environment = realEnvironment;
    const folder = config.tlogMemoryFolder;
    const memory = new LogMemory({ folder, signer, environment, report });
    const tiles = new TileStore(objects, state.prefix);
    const forks = new ForkCheck({ table, tiles, signer, memory });
    const past = new PastTable(sql);
    const recovery = new LogRecovery({ table, past, forks, memory, signer });
    await work({ recovery, config, origin: state.origin });
  } finally {
    await storage.close();
  }
}

async function showStatus({ recovery, config, origin }: CommandContext): Promise<void> {
  const status = await recovery.status();
  say(...linesOf(status, config), '');
  const { tlogOrigin: name } = config;
  const isRenamed = name !== undefined && origin !== null && name !== origin;
  const renamed = isRenamed ? `TLOG_ORIGIN is ${name}, and the log is ${origin}` : undefined;
  const reason = status.halted ?? renamed;
  if (reason === undefined) say('The log goes on.');
  else say(`The log is halted: ${reason}.`, ...waysOn(status));
}

function linesOf(status: LogStatus, { tlogMemoryFolder }: Config): string[] {
  const { state, published, stored, remembered, past } = status;
  const at = remembered && new Date(remembered.notedAt).toISOString();
  return [
    `log                ${state.origin ?? 'without a name yet'}, files below ${state.prefix}`,
    `database           size ${status.signedSize} signed, ${published?.size ?? 0} published, ${status.pending} waiting`,
    `object store       ${typeof stored === 'string' ? stored : sizeOf(stored?.size)}`,
    `this machine       ${tlogMemoryFolder === undefined ? 'remembers nothing (TLOG_MEMORY_DIR)' : sizeOf(remembered?.size)}${at === undefined ? '' : `, noted ${at}`}`,
    ...past.map(
      ({ pastNo, why, origin, size, endedAt }) =>
        `ended ${pastNo}            ${origin}, size ${size}, ${why} ${endedAt.toISOString()}`,
    ),
  ];
}

function sizeOf(size: number | undefined): string {
  return size === undefined ? 'no checkpoint' : `size ${size}`;
}

function waysOn({ signedSize }: LogStatus): string[] {
  return [
    'Bring back the newer database and object store, if they are anywhere. Else:',
    '  npm run log -- begin                  another log, which nobody can hold against this one',
    `  npm run log -- adopt --size ${String(signedSize).padEnd(9)} the same log: who has seen more can prove that it forked`,
  ];
}

async function adopt({ recovery }: CommandContext, { options }: Typed): Promise<void> {
  const size = options.size;
  if (size === undefined || !/^\d+$/.test(size)) throw new UsageFault('adopt takes --size <n>');
  const prefix = await recovery.adopt(Number(size));
  say(
    `The log goes on from size ${size}. Its files are below ${prefix} of the object store now; what the`,
    'world has seen stays where it is. Start Quire again, and tell those who follow the log.',
  );
}

/** The key first: with it alone nothing is begun, and this command can be repeated. */
async function begin(
  { recovery, config, origin }: CommandContext,
  { options }: Typed,
): Promise<void> {
  if (origin === null) throw new RecoveryRefusal('There is no log yet: the service begins one.');
  const asked = options.origin ?? config.tlogOrigin;
  const { past } = await recovery.status();
  const next = asked ?? `${origin.replace(/-\d+$/, '')}-${past.length + 2}`;
  if (config.tlogOrigin !== undefined && config.tlogOrigin !== next) {
    throw new RecoveryRefusal(
      `TLOG_ORIGIN is ${config.tlogOrigin}: set it to ${next}, or leave it out.`,
    );
  }
  if (next === origin) {
    throw new RecoveryRefusal(
      `The log is called ${origin}: set TLOG_ORIGIN to a new name, or leave it out.`,
    );
  }
  if (await recovery.hasSigned()) {
    const kept = `${config.tlogKeyFile}.log-${past.length + 1}`;
    await rename(config.tlogKeyFile, kept);
    await readSeeds(config.tlogKeyFile, realEnvironment);
    say(`The old key is kept in ${kept}; the new one is in ${config.tlogKeyFile}.`);
  }
  const prefix = await recovery.begin(next);
  say(
    `${next} begins below ${prefix} of the object store, with all entries of ${origin}.`,
    `The old log stays readable at /v1/tlog/past/${past.length + 1}. Start Quire again, and tell those who`,
    'verify: GET /v1/tlog/policy has the new key.',
  );
}

async function run(given: readonly string[]): Promise<void> {
  const typed = readArguments(given);
  if (typed.command === 'verify') await verify(typed);
  else if (typed.command === 'status') await withRecovery(showStatus);
  else if (typed.command === 'adopt') await withRecovery((context) => adopt(context, typed));
  else await withRecovery((context) => begin(context, typed));
}

const told = [RecoveryRefusal, LogInUse, FormatFault, ProofFault];
await runTyped({ usage, told, run });
