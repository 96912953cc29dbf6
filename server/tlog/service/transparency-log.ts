import { readFile } from 'node:fs/promises';

import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import type { OtherProcesses } from '../../model/newest.ts';
import { asSet } from '../../model/start-refused.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Sql } from '../../storage/postgres.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parsePolicy, type Policy } from '../note/policy.ts';
import { StatementTable } from '../statements/sql.ts';
import { PastLogs } from '../past/past-logs.ts';
import { PastTable } from '../past/sql.ts';
import { LogAudit } from './audit.ts';
import { DamageBook, type LogDamage } from './damage.ts';
import { LogFiles } from './log-files.ts';
import { LogMemory } from './memory.ts';
import { NewestTree } from './newest-tree.ts';
import { Published } from './published.ts';
import { LogReader } from './reader.ts';
import { ForkCheck, misnamed } from './fork-check.ts';
import { LogSequencer, type LogEvents } from './sequencer.ts';
import { LogSigner, readSeeds } from './signing-keys.ts';
import { LogTable } from './sql.ts';
import { Tidying } from './tidying.ts';
import { TileStore } from './tile-store.ts';
import { postToWitness } from './witness-post.ts';
import { Witnesses } from './witnesses.ts';

/** The parts of the process that the log needs. */
export interface LogSurroundings {
  readonly config: Pick<
    Config,
    'tlogOrigin' | 'tlogKeyFile' | 'tlogPolicyFile' | 'tlogMemoryFolder'
  >;
  readonly addresses: Pick<Addresses, 'baseUrl'>;
  readonly environment: Environment;
  readonly storage: { readonly sql: Sql; readonly objects: Objects };
  readonly metrics: Metrics;
  readonly log: Log;
  /** Receives the check of whether the log runs. */
  readonly readiness: {
    add(dependency: string, need: 'sometimes', run: () => Promise<void>): void;
  };
  readonly report: (step: string, error: unknown) => void;
}

/** Path of the log, below the address of the service. */
export const logPath = '/v1/tlog';

/** The transparency log of this deployment: its writer and its readers. */
export class TransparencyLog {
  readonly reader: LogReader;
  readonly audit: LogAudit;
  readonly statements: StatementTable;
  readonly #newest: NewestTree;
  readonly #past: PastLogs;
  readonly #sequencer: LogSequencer;
  readonly #damage: DamageBook;
  readonly #tidying: Tidying;

  private constructor(parts: LogParts) {
    const { reader, newest, audit, past, statements, sequencer, damage, tidying } = parts;
    this.reader = reader;
    this.#newest = newest;
    this.#past = past;
    this.audit = audit;
    this.statements = statements;
    this.#sequencer = sequencer;
    this.#damage = damage;
    this.#tidying = tidying;
  }

  /** The parts that everybody may read. */
  get readers(): { reader: LogReader; past: PastLogs } {
    return { reader: this.reader, past: this.#past };
  }

  /** Serves at once what was published before; the rest follows in the background. */
  static async start(surroundings: LogSurroundings): Promise<TransparencyLog> {
    const { config, addresses, environment, storage } = surroundings;
    const table = new LogTable(storage.sql);
    const seeds = await asSet('TLOG_KEY_FILE', () => readSeeds(config.tlogKeyFile, environment));
    const policy = await asSet('TLOG_POLICY_FILE', () => readPolicy(config.tlogPolicyFile));
    // Uses the name that is set; else the name the log began with, or, for a new log, that of the
    // address. A log keeps its name for good, so one that no key can have is refused before.
    const wanted = config.tlogOrigin ?? originOf(addresses.baseUrl);
    await asSet('TLOG_ORIGIN', () => new LogSigner(wanted, seeds));
    await table.nameLog(wanted);
    const state = await table.state();
    const origin = state.origin ?? wanted;
    const isMisnamed = config.tlogOrigin !== undefined && config.tlogOrigin !== origin;
    const signer = new LogSigner(origin, seeds);
    const events = eventsFor(surroundings);
    const damage = bookFor(surroundings);
    const tiles = new TileStore(storage.objects, state.prefix);
    const { report } = surroundings;
    const folder = config.tlogMemoryFolder;
    const memory = new LogMemory({ folder, signer, environment, report });
    const forks = new ForkCheck({ table, tiles, signer, memory });
    const files = new LogFiles({ tiles, table, damage });
    const published = new Published({ table, signer, damage });
    const witnesses = new Witnesses({ policy, post: postToWitness, report: events.failed });
    const common = { table, tiles, files, published, signer, damage, memory, forks };
    const newest = new NewestTree({ published, memory, environment });
    const sequencer = new LogSequencer({ ...common, witnesses, environment, events });
    if (isMisnamed) sequencer.halt(misnamed(origin, config.tlogOrigin));
    const haltedReason = (): string | undefined => sequencer.haltedReason;
    const reader = new LogReader({ ...common, newest, policy, haltedReason, environment });
    await published.refresh();
    sequencer.start();
    const isLeading = (): boolean => sequencer.isLeading;
    const tidying = new Tidying({ ...common, ...storage, isLeading, environment, report });
    tidying.start();
    const audit = new LogAudit({ ...common, environment });
    const statements = new StatementTable(storage.sql);
    const past = pastFor(surroundings);
    const log = new TransparencyLog({
      ...common,
      reader,
      newest,
      audit,
      past,
      statements,
      sequencer,
      tidying,
    });
    surroundings.readiness.add('log', 'sometimes', () => log.#check());
    return log;
  }

  /** Fails while the log is halted, or has damage that could not be made good. */
  async #check(): Promise<void> {
    const reason = this.#sequencer.haltedReason ?? this.#damage.open[0];
    if (reason !== undefined) throw new Error(reason);
  }

  /** Called with the other processes once this one has joined them. */
  joined(others: OtherProcesses): void {
    this.#newest.joined(others);
  }

  /** Tells that there is something in the outbox. */
  wake(): void {
    this.#sequencer.wake();
  }

  async stop(): Promise<void> {
    await this.#tidying.stop();
    await this.#sequencer.stop();
  }
}

interface LogParts {
  readonly reader: LogReader;
  readonly newest: NewestTree;
  readonly audit: LogAudit;
  readonly past: PastLogs;
  readonly statements: StatementTable;
  readonly sequencer: LogSequencer;
  readonly damage: DamageBook;
  readonly tidying: Tidying;
}

function pastFor(surroundings: LogSurroundings): PastLogs {
  const { sql, objects } = surroundings.storage;
  return new PastLogs({ table: new PastTable(sql), objects, damage: bookFor(surroundings) });
}

function bookFor({ environment, log, report }: LogSurroundings): DamageBook {
  const found = (damage: LogDamage): void => {
    const { where, what, isRepaired } = damage;
    if (isRepaired) log.warn({ where }, 'a file of the transparency log was made anew');
    else log.error({ where, what }, 'the transparency log is damaged');
  };
  return new DamageBook({ environment, found, report });
}

function eventsFor({ metrics, log, report }: LogSurroundings): LogEvents {
  return {
    published: ({ size, lagMilliseconds }) => {
      metrics.logSize.set(size);
      if (lagMilliseconds !== null) metrics.logLagSeconds.observe(lagMilliseconds / 1000);
    },
    halted: (reason) => {
      metrics.logHalted.set(1);
      log.error({ reason }, 'the transparency log is halted');
    },
    failed: report,
  };
}

/** `api.example.com/v1/tlog`: what stands before the paths of the log, without the scheme. */
function originOf(baseUrl: string): string {
  return baseUrl.replace(/^https?:\/\//, '') + logPath;
}

async function readPolicy(path: string | undefined): Promise<Policy> {
  const text = path === undefined ? 'quorum none\n' : await readFile(path, 'utf8');
  return parsePolicy(nodeCrypto.sha256, text);
}
