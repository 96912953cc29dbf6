import { readFile } from 'node:fs/promises';

import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Sql } from '../../storage/postgres.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parsePolicy, type Policy } from '../note/policy.ts';
import { StatementTable } from '../statements/sql.ts';
import { Published } from './published.ts';
import { LogReader } from './reader.ts';
import { LogSequencer, type LogEvents } from './sequencer.ts';
import { LogSigner, readSeeds } from './signing-keys.ts';
import { LogTable } from './sql.ts';
import { TileStore } from './tile-store.ts';
import { postToWitness } from './witness-post.ts';
import { Witnesses } from './witnesses.ts';

/** What the log needs of the process it runs in. */
export interface LogSurroundings {
  readonly config: Pick<Config, 'tlogOrigin' | 'tlogKeyFile' | 'tlogPolicyFile'>;
  readonly addresses: Pick<Addresses, 'baseUrl'>;
  readonly environment: Environment;
  readonly storage: { readonly sql: Sql; readonly objects: Objects };
  readonly metrics: Metrics;
  readonly log: Log;
  readonly report: (step: string, error: unknown) => void;
}

/** Where the log is, below the address of the service. */
export const logPath = '/v1/tlog';

/** The transparency log of this deployment: what writes it and what reads it. */
export class TransparencyLog {
  readonly reader: LogReader;
  readonly statements: StatementTable;
  readonly #sequencer: LogSequencer;

  private constructor(reader: LogReader, sequencer: LogSequencer, statements: StatementTable) {
    this.reader = reader;
    this.#sequencer = sequencer;
    this.statements = statements;
  }

  /** Serves at once what was published before; the rest follows in the background. */
  static async start(surroundings: LogSurroundings): Promise<TransparencyLog> {
    const { config, addresses, environment, storage } = surroundings;
    const table = new LogTable(storage.sql);
    const tiles = new TileStore(storage.objects);
    const published = new Published(table);
    // As set; else it goes on by the name it began with, or begins with that of the address.
    const origin = config.tlogOrigin ?? (await table.origin()) ?? originOf(addresses.baseUrl);
    const signer = new LogSigner(origin, await readSeeds(config.tlogKeyFile, environment));
    const policy = await readPolicy(config.tlogPolicyFile);
    const events = eventsFor(surroundings);
    const witnesses = new Witnesses({ policy, post: postToWitness, report: events.failed });
    const common = { table, tiles, published, signer };
    const sequencer = new LogSequencer({ ...common, witnesses, environment, events });
    const haltedReason = (): string | undefined => sequencer.haltedReason;
    const reader = new LogReader({ ...common, policy, haltedReason, environment });
    await published.refresh();
    sequencer.start();
    return new TransparencyLog(reader, sequencer, new StatementTable(storage.sql));
  }

  /** There is something in the outbox. */
  wake(): void {
    this.#sequencer.wake();
  }

  stop(): Promise<void> {
    return this.#sequencer.stop();
  }
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
