import { PostgresIdempotencyStore } from './account/sql.ts';
import { UsageTable } from './account/usage/sql.ts';
import { Usage } from './account/usage/usage.ts';
import { Branches } from './branches/branches.ts';
import { Commits } from './branches/commits/commits.ts';
import { Flusher } from './branches/commits/flush.ts';
import { CommitTable } from './branches/commits/sql.ts';
import type { Forks } from './branches/forks/forks.ts';
import { startForks } from './branches/forks/start.ts';
import { Keeper, upkeepSettings } from './branches/keeper/keeper.ts';
import { KeeperTable } from './branches/keeper/sql.ts';
import { Upkeep } from './branches/keeper/upkeep.ts';
import { LayeredJournal } from './branches/layered-journal.ts';
import { LoggedJournal } from './branches/logged-journal.ts';
import { Loader } from './branches/loader.ts';
import { StateMemory } from './branches/memory.ts';
import { Policies } from './branches/policies.ts';
import { PostgresJournal } from './branches/sql.ts';
import { createFormulas } from './compute/formulas.ts';
import { PoolFileReader } from './compute/pool-files.ts';
import { Pool } from './compute/pool.ts';
import type { Config } from './config.ts';
import { Doors } from './doors.ts';
import type { Diffs } from './diffs/diffs.ts';
import type { Attribution, Origins } from './diffs/origins.ts';
import { startDiffs } from './diffs/start.ts';
import { WorkbookContents } from './history/content.ts';
import { SealedLog } from './history/sealed-log-store.ts';
import { Snapshots } from './history/snapshots.ts';
import { HistoryTable } from './history/sql.ts';
import type { CheckAccess, EdgeOptions } from './http/edge.ts';
import { Identity } from './identity/identity.ts';
import { startIdentityApp } from './identity-app.ts';
import {
  edgeGraceMilliseconds,
  layFoundation,
  limitsProfile,
  observe,
  readVersion,
  realEnvironment,
} from './foundation.ts';
import type { Foundation, Part } from './foundation.ts';
import { Jobs } from './jobs/jobs.ts';
import { JobTable } from './jobs/sql.ts';
import { FrequencyLimit } from './maintenance/frequency.ts';
import type { MaintenanceServices } from './maintenance/http.ts';
import { ProofBundles } from './maintenance/proofs/bundle.ts';
import { Purges } from './maintenance/purges.ts';
import { PurgeTable, TopologyTable } from './maintenance/sql.ts';
import { Topology } from './maintenance/topology.ts';
import type { VerifyServices } from './maintenance/verify/http.ts';
import { Verifier } from './maintenance/verify/verifier.ts';
import { VerifyTable } from './maintenance/verify/sql.ts';
import { Waking } from './maintenance/wake.ts';
import { ConflictReader } from './merges/conflicts/details.ts';
import { Decisions } from './merges/decisions.ts';
import type { MergeServices } from './merges/http.ts';
import { Merges } from './merges/merges.ts';
import { MergeTable } from './merges/sql.ts';
import type { Addresses } from './model/addresses.ts';
import type { Environment } from './model/environment.ts';
import type { FormulaService } from './model/formula-service.ts';
import type { LimitsProfile } from './model/limits.ts';
import { routeTable } from './routes.ts';
import { TransparencyLog } from './tlog/service/transparency-log.ts';
import { BackwardJournal } from './values/blame/backwards.ts';
import { Blame } from './values/blame/blame.ts';
import type { BlameServices } from './values/blame/http.ts';
import { BackwardTable } from './values/blame/sql.ts';
import type { ValueServices } from './values/http.ts';
import { startValues } from './values/start.ts';
import { CollaboratorTable } from './workbooks/collaborators/sql.ts';
import { WorkbookCreation } from './workbooks/creation.ts';
import type { WorkbookServices } from './workbooks/http.ts';
import { WorkbookRegistry } from './workbooks/registry.ts';
import { WorkbookTable } from './workbooks/sql.ts';

/** What a test or the simulator brings instead of the real thing. */
export interface Given {
  readonly environment: Environment;
  readonly formulas: FormulaService;
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

  /** The one of them that this process serves, or the first. */
  get address(): string {
    const { baseUrl, authUrl, siteUrl } = this.addresses;
    return { all: baseUrl, api: baseUrl, auth: authUrl, site: siteUrl }[
      this.#foundation.config.role
    ];
  }

  static async start(config: Config, given: Partial<Given> = {}): Promise<App> {
    const foundation = await layFoundation(config, given.environment ?? realEnvironment);
    try {
      const { role } = config;
      const isApi = role === 'all' || role === 'api';
      const parts = isApi
        ? await startParts(foundation, given.formulas ?? createFormulas())
        : await startIdentityApp(foundation);
      return new App(foundation, parts);
    } catch (error) {
      await foundation.storage.close();
      throw error;
    }
  }

  /** Answers what is under way, makes durable what was accepted, then lets go of everything. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopParts();
    return this.#stopped;
  }

  async #stopParts(): Promise<void> {
    this.#foundation.readiness.drain();
    for (const part of this.#parts.toReversed()) await part.stop();
    await this.#foundation.storage.close();
  }
}

/** Builds the services from the bottom up and opens the door last. */
async function startParts(foundation: Foundation, formulas: FormulaService): Promise<Part[]> {
  const { config, addresses, environment, ports, log, metrics, storage } = foundation;
  const { sql } = storage;
  const profile = limitsProfile(config);
  const report = (step: string, err: unknown): void => log.warn({ err }, `could not ${step}`);
  const pool = new Pool({ threadCount: config.workerCount, environment, metrics });
  const transparencyLog = await TransparencyLog.start({ ...foundation, report });
  const needs = { formulas, pool, report, transparencyLog };
  const started = await startWorkbooks(foundation, needs);
  const { branches, keeper, registry, workbooks } = started;
  const { jobs, values } = await startReading(foundation, { branches, registry, pool, report });
  const identity = await Identity.start({ sql, config, environment, addresses, profile, report });
  const policies = new Policies(branches, environment);
  const parts = { sql, environment, branches, registry, values, policies, profile, report };
  const { forks, lineages, archiving } = startForks(parts);
  const journal = backwardJournal(foundation);
  const diffing = startDiffs({ ...values, branches, registry, lineages, journal });
  const maintenance = startMaintenance(foundation, parts);
  identity.endUnclaimed(registry, maintenance.purges);
  const proofs = { registry, environment, bundles: new ProofBundles(transparencyLog, branches) };
  const { reader } = transparencyLog;
  const verify = startVerify(foundation, { registry, formulas, profile, transparencyLog });
  const usage = Usage.start({ table: new UsageTable(sql), environment, profile, report });
  const idempotency = new PostgresIdempotencyStore(sql, environment, report);
  idempotency.start();
  const edge: EdgeOptions = {
    routes: routeTable({
      addresses,
      health: { ...foundation, version: readVersion() },
      identity,
      branches: { ...started, registry, policies, forks, log: reader, models: values.models },
      workbooks: { ...workbooks, collaborators: new CollaboratorTable(sql), environment },
      values,
      maintenance,
      account: { usage, environment },
      verify,
      blame: startBlame(environment, { source: branches, registry, journal }),
      merges: startMerges(foundation, { ...values, ...diffing, ...parts, forks, journal }),
      diffs: diffing,
      log: { reader, baseUrl: addresses.baseUrl },
      proofs,
    }),
    addresses,
    boundTo: config.host,
    trustedProxies: config.trustedProxies,
    environment,
    limits: profile,
    authenticate: (authorization, address) => identity.authenticator.check(authorization, address),
    resolveWorkbook: (owner, space, principal) => registry.resolve(owner, space, principal),
    checkAccess: accessCheck(registry, usage),
    idempotency,
    observer: observe(foundation, usage),
  };
  const doors = await Doors.open({ role: config.role, ports, edge });
  return [
    { name: 'pool', stop: () => pool.close() },
    { name: 'log', stop: () => transparencyLog.stop() },
    { name: 'models', stop: async () => values.models.close() },
    { name: 'branches', stop: () => branches.stop() },
    { name: 'jobs', stop: () => jobs.stop() },
    { name: 'registry', stop: () => registry.stop() },
    { name: 'keeper', stop: () => keeper.stop() },
    { name: 'purges', stop: () => maintenance.purges.stop() },
    { name: 'archiving', stop: () => archiving.stop() },
    { name: 'identity', stop: () => identity.stop() },
    { name: 'usage', stop: () => usage.stop() },
    { name: 'idempotency', stop: () => idempotency.stop() },
    { name: 'doors', stop: () => doors.stop(edgeGraceMilliseconds) },
  ];
}

type Report = (step: string, error: unknown) => void;

/** Whether somebody may do something to a workbook, and has not used up what their plan allows. */
function accessCheck(registry: WorkbookRegistry, usage: Usage): CheckAccess {
  return async (id, action, principal) => {
    if (id !== undefined) await registry.check(id, action, principal);
    await usage.check(action, principal);
  };
}

interface MergeNeeds
  extends
    Pick<MaintenanceParts, 'branches' | 'registry' | 'policies'>,
    Pick<ValueServices, 'models'> {
  readonly forks: Forks;
  readonly journal: BackwardJournal;
  readonly diffs: Diffs;
  readonly origins: Origins;
  readonly unattributed: Attribution;
}

function startMerges(
  { environment, storage: { sql } }: Foundation,
  { models, diffs, origins, unattributed, ...given }: MergeNeeds,
): MergeServices {
  const merges = new Merges({
    ...given,
    table: new MergeTable(sql),
    models,
    environment,
  });
  const { branches, registry, policies } = given;
  const decisions = new Decisions({ merges, branches, environment, origins });
  const reader = new ConflictReader({ models, environment });
  return { merges, decisions, registry, policies, diffs, origins, reader, unattributed };
}

interface WorkbookParts {
  readonly branches: Branches;
  readonly commitTable: CommitTable;
  readonly commits: Commits;
  readonly keeper: Keeper;
  readonly registry: WorkbookRegistry;
  readonly workbooks: WorkbookServices;
}

interface WorkbookNeeds {
  readonly pool: Pool;
  readonly report: Report;
  readonly formulas: FormulaService;
  readonly transparencyLog: TransparencyLog;
}

async function startWorkbooks(
  { config, environment, metrics, storage: { sql, objects } }: Foundation,
  { formulas, pool, report, transparencyLog }: WorkbookNeeds,
): Promise<WorkbookParts> {
  const historyTable = new HistoryTable(sql);
  const sealed = new SealedLog(objects, historyTable, environment);
  const snapshots = new Snapshots(objects, historyTable, environment);
  const rows = new PostgresJournal(sql);
  const store = new LoggedJournal(new LayeredJournal(rows, sealed), transparencyLog);
  const contents = new WorkbookContents(formulas);
  const memory = new StateMemory({ bytesMost: config.memory.stateBytes, environment });
  metrics.watchMemory(memory);
  const loader = new Loader({ store, snapshots, contents, environment, memory, report });
  const commitTable = new CommitTable(sql);
  const branches = new Branches({
    store,
    loader,
    snapshots,
    tags: commitTable,
    environment,
    report,
  });
  branches.subscribe(({ records }) => metrics.operationsAppended.inc(records.length));
  const table = new WorkbookTable(sql);
  await table.removeAbandoned();
  const registry = new WorkbookRegistry(table, environment);
  await registry.start();
  const creation = new WorkbookCreation({ table, journal: branches, environment, report });
  const files = new PoolFileReader(pool);
  const flusher = new Flusher(store, sealed);
  const commits = new Commits({ table: commitTable, branches, flusher, environment });
  const settings = upkeepSettings(config.keeper);
  const history = { store, rows, sealed, snapshots, table: historyTable };
  const upkeep = new Upkeep({ ...history, ...settings, branches, commits, environment, metrics });
  const keeping = { upkeep, table: new KeeperTable(sql), branches, environment, metrics, report };
  const keeper = new Keeper({ ...config.keeper, ...keeping });
  for (const known of [keeper, store]) registry.whenGone((id) => known.forget(id));
  keeper.start();
  const served = { registry, creation, files };
  return { branches, commitTable, commits, keeper, registry, workbooks: served };
}

async function startReading(
  { config, environment, metrics, storage: { sql } }: Foundation,
  { pool, report, ...given }: ReadingNeeds,
): Promise<{ jobs: Jobs; values: ValueServices }> {
  const hasFreeThread = (): boolean => pool.hasFreeThread;
  const jobs = new Jobs({
    sql,
    table: new JobTable(sql),
    environment,
    metrics,
    hasFreeThread,
    runsMost: config.workerCount,
    report,
  });
  const values = startValues({ ...given, sql, pool, jobs, environment, report }, config);
  await jobs.start();
  return { jobs, values };
}

interface ReadingNeeds {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly pool: Pool;
  readonly report: Report;
}

interface MaintenanceParts {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly values: ValueServices;
  readonly policies: Policies;
  readonly profile: LimitsProfile;
  readonly report: Report;
}

/** Goes on with the purges that an earlier process began. */
function startMaintenance(
  { config, environment, nodeId, storage: { sql, objects } }: Foundation,
  { branches, registry, values, policies, profile, report }: MaintenanceParts,
): MaintenanceServices {
  const { models } = values;
  for (const known of [branches, models, policies]) registry.whenGone((id) => known.forget(id));
  const table = new PurgeTable(sql);
  const purges = new Purges({ table, registry, objects, environment, report });
  purges.start();
  const waking = new Waking({
    branches,
    models,
    values: values.values,
    environment,
    limits: profile,
    report,
  });
  const topology = new Topology({
    table: new TopologyTable(sql),
    branches,
    waking,
    nodeId,
    startedAt: environment.now(),
    historyEngine: config.objectStoreUrl.startsWith('s3:') ? 's3' : 'file',
  });
  return { registry, policies, purges, waking, topology };
}

/** Operations that one answer to "who wrote this" looks at, about: a second or two of reading. */
const blameOperationsMost = 100_000;

function startBlame(
  environment: Environment,
  given: { source: Branches; registry: WorkbookRegistry; journal: BackwardJournal },
): BlameServices {
  const operationsMost = blameOperationsMost;
  return { ...given, blame: new Blame({ ...given, environment, operationsMost }) };
}

function backwardJournal({ storage: { sql, objects } }: Foundation): BackwardJournal {
  const sealed = new SealedLog(objects, new HistoryTable(sql));
  return new BackwardJournal({ table: new BackwardTable(sql), sealed });
}

type VerifyNeeds = Pick<MaintenanceParts, 'registry' | 'profile'> &
  Pick<WorkbookNeeds, 'formulas' | 'transparencyLog'>;

function startVerify(
  { environment, storage: { sql, objects } }: Foundation,
  { registry, formulas, profile: limits, transparencyLog: log }: VerifyNeeds,
): VerifyServices {
  const table = new VerifyTable(sql);
  const verifier = new Verifier({ table, objects, formulas, environment, evidence: log });
  const verifications = new FrequencyLimit({ perMinute: 6, limits, environment });
  return { registry, verifier, verifications, log: log.reader };
}
