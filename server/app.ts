import { startForks } from './branches/forks/start.ts';
import { Policies } from './branches/policies.ts';
import { startCollaboration } from './collaboration/start.ts';
import { createFormulas } from './compute/formulas.ts';
import { Pool } from './compute/pool.ts';
import type { Config } from './config.ts';
import { startDiffs } from './diffs/start.ts';
import { Doors } from './doors.ts';
import type { Ports } from './doors.ts';
import {
  edgeGraceMilliseconds,
  layFoundation,
  limitsProfile,
  openHealthDoor,
  readVersion,
  realEnvironment,
  reporter,
  stopAll,
} from './foundation.ts';
import type { Foundation, Part, Report } from './foundation.ts';
import type { EdgeOptions } from './http/edge.ts';
import { startIdentityApp } from './identity-app.ts';
import { Identity } from './identity/identity.ts';
import { startProofs } from './maintenance/proofs/start.ts';
import { startVerify } from './maintenance/verify/start.ts';
import { startReconciliation } from './matches/reconciliation/start.ts';
import type { Addresses } from './model/addresses.ts';
import type { Environment } from './model/environment.ts';
import type { FormulaService } from './model/formula-service.ts';
import { startNodes } from './nodes/start.ts';
import type { StartedNodes } from './nodes/start.ts';
import { startAccount } from './parts/account.ts';
import { openEntrance } from './parts/entrance.ts';
import { startMaintenance } from './parts/maintenance.ts';
import { startComparing } from './parts/comparing.ts';
import { startMatching } from './parts/matching.ts';
import { openMcp } from './parts/mcp.ts';
import { startMerges } from './parts/merging.ts';
import { startReading, startSearching } from './parts/reading.ts';
import { startTabling } from './parts/tables.ts';
import { startWorkbooks } from './parts/workbooks.ts';
import { routeTable } from './routes.ts';
import { TransparencyLog } from './tlog/service/transparency-log.ts';
import { startBlame } from './values/blame/start.ts';
import { startWebhooks } from './webhooks/start.ts';
import { CollaboratorTable } from './workbooks/collaborators/sql.ts';

/** Parts that a test or the simulator brings in place of the real ones. */
export interface Given {
  readonly environment: Environment;
  readonly formulas: FormulaService;
  /** Aborted when a start that waits is to be given up. */
  readonly signal: AbortSignal;
  /** Threads of the pool that are begun before there is a task; 1 when left out. */
  readonly threadsAtStart: number;
  /** The module that the threads of the pool load; that of the product when left out. */
  readonly tasks: URL;
}

export class App {
  readonly addresses: Addresses;
  readonly #foundation: Foundation;
  readonly #parts: readonly Part[];
  #stopped: Promise<void> | undefined;

  private constructor(foundation: Foundation, parts: readonly Part[]) {
    this.addresses = foundation.addresses;
    this.#foundation = foundation;
    this.#parts = parts;
  }

  /** The public address that this process serves, or the first of them. */
  get address(): string {
    const { baseUrl, authUrl, siteUrl } = this.addresses;
    return { all: baseUrl, api: baseUrl, auth: authUrl, site: siteUrl }[
      this.#foundation.config.role
    ];
  }

  /** Ports on which it listens. */
  get ports(): Ports {
    return this.#foundation.listeners.ports;
  }

  static async start(config: Config, given: Partial<Given> = {}): Promise<App> {
    const foundation = await layFoundation(
      config,
      given.environment ?? realEnvironment,
      given.signal,
    );
    try {
      const { role } = config;
      const isApi = role === 'all' || role === 'api';
      const parts = isApi
        ? await startParts(foundation, given)
        : await startIdentityApp(foundation);
      return new App(foundation, parts);
    } catch (error) {
      foundation.listeners.close();
      await foundation.storage.close();
      throw error;
    }
  }

  /**
   * Returns the requests under way, makes every accepted operation durable, and lets go of
   * everything. /
   */
  stop(): Promise<void> {
    this.#stopped ??= stopAll(this.#foundation, this.#parts);
    return this.#stopped;
  }
}

/** Builds the services from the bottom up and opens the door last. */
async function startParts(foundation: Foundation, given: Partial<Given>): Promise<Part[]> {
  return openDoors(foundation, await startServices(foundation, given));
}

type Started = Awaited<ReturnType<typeof startServices>>;

async function startServices(
  foundation: Foundation,
  { formulas = createFormulas(), threadsAtStart = 1, tasks }: Partial<Given>,
) {
  const { config, addresses, environment, metrics, storage } = foundation;
  const { sql } = storage;
  const profile = limitsProfile(config);
  const report = reporter(foundation);
  const pool = new Pool({
    threadCount: config.workerCount,
    threadsAtStart,
    environment,
    metrics,
    ...(tasks && { tasks }),
  });
  const log = await TransparencyLog.start({ ...foundation, report });
  const account = startAccount(foundation, { profile, report });
  const { growth, usage, idempotency, damage } = account;
  const nodes = await joinNodes(foundation, report);
  log.joined(nodes.others);
  const needs = { ...nodes, formulas, pool, report, transparencyLog: log, damage, growth };
  const started = await startWorkbooks(foundation, needs);
  const { branches, registry, workbooks } = started;
  const { jobs, values, exportPool } = startReading(foundation, { ...started, pool, report });
  growth.weigh((address) => values.models.bytesOf(address));
  const identity = await Identity.start({ sql, config, environment, addresses, profile, report });
  const policies = new Policies(branches, environment);
  const parts = { sql, environment, branches, registry, values, policies, profile, report };
  const tables = startTabling(foundation, { ...values, ...parts, pool, jobs });
  const matches = await startMatching(foundation, { ...parts, usage, pool, jobs });
  const naming = { ...tables, ...values, ...parts, pool, baseUrl: addresses.baseUrl };
  const reconciliation = startReconciliation(naming);
  const { forks, lineages, archiving } = startForks(parts);
  const searching = startSearching(foundation, { damage, identity, registry });
  const comparing = startComparing(foundation);
  const reaching = { ...values, ...searching, ...comparing };
  const diffing = startDiffs({ ...reaching, branches, registry, lineages });
  const maintenance = startMaintenance(foundation, parts);
  identity.endUnclaimed(registry, maintenance.purges);
  const proofs = startProofs({ ...foundation, registry, branches, log, damage });
  const verify = startVerify({ ...parts, ...needs, objects: storage.objects });
  const { reader } = log;
  const blame = startBlame(environment, { source: branches, registry, ...searching });
  const merges = startMerges(foundation, { ...reaching, ...diffing, ...parts, forks });
  const { rights } = searching;
  const entrance = openEntrance(foundation, { identity, registry, rights, usage, idempotency });
  const { presenceBus } = nodes;
  const { names } = searching;
  const live = { ...parts, ...foundation, ...entrance, identity, names, usage, presenceBus };
  const collaboration = await startCollaboration(live);
  const webhooks = await startWebhooks({ ...live, version: readVersion() });
  const reviewing = { ...diffing, ...merges, ...blame };
  const given = { ...reviewing, ...entrance, ...searching, ...workbooks, ...parts, formulas };
  const mcp = openMcp(foundation, {
    ...given,
    forks,
    usage,
    identity,
    log: reader,
    matching: matches,
  });
  const routed = { identity, values, maintenance, verify, blame, merges, diffs: diffing, matches };
  const { models, source: positions } = values;
  const branching = { ...started, ...searching, policies, forks, log: reader, models, positions };
  const threads = { pool, exportPool, comparing };
  const running = { ...threads, log, account, nodes, started, jobs, archiving, entrance };
  const alone = { branching, tables, reconciliation, collaboration, webhooks, proofs, mcp };
  return { ...running, ...routed, ...alone };
}

async function openDoors(foundation: Foundation, services: Started): Promise<Part[]> {
  const { config, addresses, environment, listeners, storage } = foundation;
  const { started, account, nodes, log, pool, collaboration, mcp, entrance } = services;
  const { workbooks } = started;
  const collaborators = new CollaboratorTable(storage.sql);
  const edge: EdgeOptions = {
    largeBodies: workbooks.bodies,
    spool: services.tables.spool,
    routes: routeTable({
      ...services,
      addresses,
      health: { ...foundation, version: readVersion() },
      branches: services.branching,
      workbooks: { ...workbooks, collaborators, environment },
      account: { usage: account.usage, environment },
      log: { ...log.readers, baseUrl: addresses.baseUrl },
    }),
    ...entrance,
  };
  const doors = await Doors.open({ role: config.role, listeners, edge });
  return [
    ...(await openHealthDoor(foundation)),
    ...nodes.parts,
    { name: 'pool', stop: () => pool.close() },
    { name: 'export pool', stop: () => services.exportPool.close() },
    { name: 'long pool', stop: () => services.tables.longPool.close() },
    { name: 'merge thread', stop: () => services.comparing.mergeThread.close() },
    { name: 'log', stop: () => log.stop() },
    { name: 'models', stop: async () => services.values.models.close() },
    ...endings({
      ...started,
      ...services.maintenance,
      ...services,
      matches: services.matches.matches,
      rowWrites: services.tables.rowWrites,
    }),
    ...account.parts,
    { name: 'doors', stop: () => doors.stop(edgeGraceMilliseconds) },
    collaboration.hub,
    { name: 'mcp', stop: () => mcp.server.stop() },
  ];
}

const endedInOrder = [
  'branches',
  'jobs',
  'matches',
  'rowWrites',
  'registry',
  'webhooks',
  'keeper',
  'purges',
  'archiving',
  'identity',
] as const;

type Ended = (typeof endedInOrder)[number];

/** The parts that work in the background, in the order in which they are stopped. */
function endings(parts: Readonly<Record<Ended, { stop(): Promise<void> }>>): Part[] {
  return endedInOrder.map((name) => ({ name, stop: () => parts[name].stop() }));
}

function joinNodes(foundation: Foundation, report: Report): Promise<StartedNodes> {
  const { config, environment, nodeId, storage } = foundation;
  const isEmbedded = config.databaseUrl === undefined;
  const version = readVersion();
  return startNodes({ sql: storage.sql, environment, nodeId, version, isEmbedded, report });
}
