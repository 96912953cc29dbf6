/** Long because every service of a process is put together here. */
import { PostgresIdempotencyStore } from './account/sql.ts';
import { UsageTable } from './account/usage/sql.ts';
import { Usage } from './account/usage/usage.ts';
import { CellLedger } from './account/cells/ledger.ts';
import { CellTable } from './account/cells/sql.ts';
import { AcknowledgedJournal, type Divergence } from './branches/acknowledged-journal.ts';
import { Branches } from './branches/branches.ts';
import { Commits } from './branches/commits/commits.ts';
import { Flusher } from './branches/commits/flush.ts';
import { CommitTable } from './branches/commits/sql.ts';
import type { Forks } from './branches/forks/forks.ts';
import { startForks } from './branches/forks/start.ts';
import { Growth } from './branches/growth.ts';
import { Keeper, upkeepSettings } from './branches/keeper/keeper.ts';
import { KeeperTable } from './branches/keeper/sql.ts';
import { Mender } from './branches/keeper/mender.ts';
import { Upkeep } from './branches/keeper/upkeep.ts';
import { LayeredJournal } from './branches/layered-journal.ts';
import { LoggedJournal } from './branches/logged-journal.ts';
import { Loader } from './branches/loader.ts';
import { StateMemory } from './branches/memory.ts';
import { Policies } from './branches/policies.ts';
import type { OtherWriters } from './branches/newest-rows.ts';
import { RejectionTable } from './branches/rejections/sql.ts';
import { PostgresJournal } from './branches/sql.ts';
import { createFormulas } from './compute/formulas.ts';
import { startCollaboration } from './collaboration/start.ts';
import { PoolBodies } from './compute/pool-bodies.ts';
import { PoolRows } from './compute/pool-rows.ts';
import { PoolFileReader } from './compute/pool-files.ts';
import { Pool } from './compute/pool.ts';
import { isLoopback } from './config.ts';
import type { Config } from './config.ts';
import { Doors } from './doors.ts';
import type { Ports } from './doors.ts';
import type { Diffs } from './diffs/diffs.ts';
import type { Attribution, Origins } from './diffs/origins.ts';
import { startDiffs } from './diffs/start.ts';
import { WorkbookContents } from './history/content.ts';
import { DamageList } from './history/damage.ts';
import { SealedLog } from './history/sealed-log-store.ts';
import { Snapshots } from './history/snapshots.ts';
import { HistoryTable } from './history/sql.ts';
import type { EdgeOptions } from './http/edge.ts';
import { readDocuments, servedDocuments } from './http/reference/documents.ts';
import { authMarkdown } from './identity/documents/auth-md.ts';
import { Identity } from './identity/identity.ts';
import { KnownNames } from './identity/known-names.ts';
import { OwnAccount } from './identity/own-account.ts';
import { startIdentityApp } from './identity-app.ts';
import {
  accessCheck,
  edgeGraceMilliseconds,
  edgeSettings,
  layFoundation,
  limitsProfile,
  noteDivergence,
  openHealthDoor,
  observe,
  readVersion,
  realEnvironment,
  reporter,
  stopAll,
} from './foundation.ts';
import type { Foundation, Part } from './foundation.ts';
import { Jobs } from './jobs/jobs.ts';
import { JobTable } from './jobs/sql.ts';
import type { MaintenanceServices } from './maintenance/http.ts';
import { startProofs } from './maintenance/proofs/start.ts';
import { Purges } from './maintenance/purges.ts';
import { PurgeTable, TopologyTable } from './maintenance/sql.ts';
import { Topology } from './maintenance/topology.ts';
import { startVerify } from './maintenance/verify/start.ts';
import { Waking } from './maintenance/wake.ts';
import { startMcp, type McpRouteServices } from './mcp/http.ts';
import type { McpServices } from './mcp/services.ts';
import type { MatchServices } from './matches/http.ts';
import { startReconciliation } from './matches/reconciliation/start.ts';
import { startMatches } from './matches/start.ts';
import { ConflictReader } from './merges/conflicts/details.ts';
import { Decisions } from './merges/decisions.ts';
import type { MergeServices } from './merges/http.ts';
import { MergeHoldings } from './merges/holdings.ts';
import { Merges } from './merges/merges.ts';
import { MergeTable } from './merges/sql.ts';
import { TableMerges } from './merges/table-merges.ts';
import type { Addresses } from './model/addresses.ts';
import type { Environment } from './model/environment.ts';
import type { FormulaService } from './model/formula-service.ts';
import type { LimitsProfile } from './model/limits.ts';
import type { HeadBus } from './nodes/head-bus.ts';
import { startNodes, type StartedNodes } from './nodes/start.ts';
import { routeTable } from './routes.ts';
import { Spool } from './storage/spool.ts';
import { startTables } from './tables/start.ts';
import { TransparencyLog } from './tlog/service/transparency-log.ts';
import type { BackwardJournal } from './values/blame/backwards.ts';
import { openBackwardJournal, startBlame } from './values/blame/start.ts';
import type { ScenarioServices } from './values/scenario/http.ts';
import { startValues } from './values/start.ts';
import { startWebhooks } from './webhooks/start.ts';
import { CollaboratorTable } from './workbooks/collaborators/sql.ts';
import { KeptFiles } from './workbooks/kept-files.ts';
import { WorkbookCreation } from './workbooks/creation.ts';
import type { WorkbookServices } from './workbooks/http.ts';
import { WorkbookRegistry } from './workbooks/registry.ts';
import { WorkbookTable } from './workbooks/sql.ts';

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
   * Answers the requests under way, makes every accepted operation durable, and lets go of
   * everything.
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
  const needs = { ...nodes, formulas, pool, report, transparencyLog: log, damage, growth };
  const started = await startWorkbooks(foundation, needs);
  const { branches, registry, workbooks } = started;
  const { jobs, values } = startReading(foundation, { ...started, pool, report });
  growth.weigh((address) => values.models.bytesOf(address));
  const identity = await Identity.start({ sql, config, environment, addresses, profile, report });
  const policies = new Policies(branches, environment);
  const parts = { sql, environment, branches, registry, values, policies, profile, report };
  const tables = startTabling(foundation, { ...values, ...parts, pool, jobs });
  const matches = await startMatching(foundation, { ...parts, usage, pool, jobs });
  const naming = { ...tables, ...values, ...parts, pool, baseUrl: addresses.baseUrl };
  const reconciliation = startReconciliation(naming);
  const { forks, lineages, archiving } = startForks(parts);
  const searching = startSearching(storage, { damage, identity });
  const diffing = startDiffs({ ...values, branches, registry, lineages, ...searching });
  const maintenance = startMaintenance(foundation, parts);
  identity.endUnclaimed(registry, maintenance.purges);
  const proofs = startProofs({ ...foundation, registry, branches, log, damage });
  const verify = startVerify({ ...parts, ...needs, objects: storage.objects });
  const { reader } = log;
  const blame = startBlame(environment, { source: branches, registry, ...searching });
  const merges = startMerges(foundation, { ...values, ...diffing, ...parts, ...searching, forks });
  const entrance = openEntrance(foundation, { identity, registry, usage, idempotency });
  const live = { ...parts, ...foundation, ...entrance, identity, usage };
  const collaboration = startCollaboration(live);
  const webhooks = await startWebhooks({ ...live, version: readVersion() });
  const reviewing = { ...diffing, ...merges, ...blame };
  const given = { ...reviewing, ...entrance, ...searching, ...workbooks, ...parts };
  const mcp = openMcp(foundation, {
    ...given,
    forks,
    usage,
    identity,
    log: reader,
    matching: matches,
  });
  const routed = { identity, values, maintenance, verify, blame, merges, diffs: diffing, matches };
  const branching = {
    ...started,
    ...searching,
    policies,
    forks,
    log: reader,
    models: values.models,
  };
  const running = { pool, log, account, nodes, started, jobs, archiving, entrance };
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
    { name: 'long pool', stop: () => services.tables.longPool.close() },
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

type McpNeeds = Omit<McpServices, OpenedForMcp> & {
  readonly identity: Identity;
  readonly values: ScenarioServices;
  readonly reader: McpServices['conflicts'];
};
type OpenedForMcp = 'addresses' | 'models' | 'scenarios' | 'conflicts' | 'account' | 'failureOf';

/** Opens what the MCP server offers to language models, over the services of the routes. */
function openMcp(
  { addresses, config, environment }: Foundation,
  { identity, values, reader: conflicts, ...given }: McpNeeds,
): McpRouteServices {
  const pages = readDocuments();
  const documents = new Map([
    ['auth.md', { about: 'how an agent gets a key, step by step', text: authMarkdown(addresses) }],
    ...['formula-functions', 'merges', 'operations', 'rejections', 'import-export'].map((name) => {
      const file = `${name}.md`;
      const page = { about: servedDocuments[file] ?? name, text: pages.get(file) ?? '' };
      return [name === 'formula-functions' ? 'formulas' : file, page] as const;
    }),
  ]);
  const { models, scenarios } = values;
  const account = new OwnAccount(identity);
  const services = { ...given, addresses, environment, models, scenarios, conflicts, account };
  return startMcp(services, {
    documents,
    version: readVersion(),
    allowedOrigins: config.allowedOrigins,
    takesLoopback: isLoopback(config.host),
  });
}

/** Opens the sources that the search for the author of a change reads. */
function startSearching(
  storage: Foundation['storage'],
  { damage, identity }: { damage: DamageList; identity: Identity },
) {
  return {
    journal: openBackwardJournal(storage, damage),
    holdings: new MergeHoldings(new MergeTable(storage.sql)),
    names: new KnownNames(identity.store),
  };
}

interface EntranceNeeds {
  readonly identity: Identity;
  readonly registry: WorkbookRegistry;
  readonly usage: Usage;
  readonly idempotency: PostgresIdempotencyStore;
}

/** Authentication, access checks and look-up of workbooks, as the edge needs them. */
function openEntrance(
  foundation: Foundation,
  { identity: { authenticator }, registry, usage, idempotency }: EntranceNeeds,
) {
  const { config, addresses, environment } = foundation;
  return {
    ...edgeSettings(config),
    addresses,
    environment,
    limits: limitsProfile(config),
    authenticate: authenticator.check.bind(authenticator),
    resolveWorkbook: registry.resolve.bind(registry),
    checkAccess: accessCheck(registry, usage),
    idempotency,
    observer: observe(foundation, usage),
  };
}

/** Starts metering, caps, the list of damage, and the store of answers kept under keys. */
function startAccount(
  { config, environment, metrics, readiness, storage: { sql } }: Foundation,
  { profile, report }: { profile: LimitsProfile; report: Report },
) {
  const damage = new DamageList();
  metrics.watchDamage(damage);
  readiness.watchDamage(() => damage.objectCount);
  const ledger = new CellLedger({ table: new CellTable(sql), profile, environment, report });
  ledger.start();
  const growth = new Growth({ ledger, workbookBytesMost: config.memory.workbookBytes });
  const usage = Usage.start({ table: new UsageTable(sql), ledger, environment, profile, report });
  const idempotency = new PostgresIdempotencyStore(sql, environment, report);
  idempotency.start();
  const parts: Part[] = [
    { name: 'usage', stop: () => usage.stop() },
    { name: 'cells', stop: () => ledger.stop() },
    { name: 'idempotency', stop: () => idempotency.stop() },
  ];
  return { damage, growth, usage, idempotency, parts };
}

type Report = (step: string, error: unknown) => void;

interface MatchNeeds extends Pick<
  MaintenanceParts,
  'branches' | 'registry' | 'policies' | 'values' | 'report'
> {
  readonly usage: Usage;
  readonly pool: Pool;
  readonly jobs: Jobs;
}

/** Jobs are taken from here on: all that handles them is there. */
async function startMatching(
  { config, environment, storage: { sql } }: Foundation,
  { values, usage, ...given }: MatchNeeds,
): Promise<MatchServices> {
  const { models } = values;
  const meter = usage.count.bind(usage);
  const services = await startMatches({ ...given, sql, environment, models, config, meter });
  await given.jobs.start();
  return services;
}

type TableNeeds = Omit<Parameters<typeof startTables>[0], 'rowReader' | 'spool' | 'openMerges'> & {
  readonly pool: Pool;
};

/** Starts what serves tables; its second pool waits with bodies that are too long for memory. */
function startTabling({ environment, storage: { sql, objects } }: Foundation, given: TableNeeds) {
  const spool = new Spool({ objects, environment });
  const longPool = new Pool({ threadCount: 1, threadsAtStart: 0, environment });
  const rowReader = new PoolRows(given.pool, longPool);
  const openMerges = new TableMerges({ ...given, table: new MergeTable(sql) });
  return { ...startTables({ ...given, rowReader, spool, openMerges }), spool, longPool };
}

interface MergeNeeds
  extends
    Pick<MaintenanceParts, 'branches' | 'registry' | 'policies'>,
    Pick<ScenarioServices, 'models'> {
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
  const reading = { diffs, origins, reader, unattributed };
  return { merges, decisions, registry, policies, environment, ...reading };
}

interface WorkbookParts {
  readonly branches: Branches;
  readonly commitTable: CommitTable;
  readonly commits: Commits;
  readonly keeper: Keeper;
  readonly registry: WorkbookRegistry;
  readonly keptFiles: KeptFiles;
  readonly workbooks: WorkbookServices;
}

interface WorkbookNeeds {
  readonly pool: Pool;
  readonly report: Report;
  readonly formulas: FormulaService;
  readonly transparencyLog: TransparencyLog;
  readonly damage: DamageList;
  readonly growth: Growth;
  readonly others: OtherWriters;
  readonly bus: HeadBus;
}

async function startWorkbooks(
  { config, environment, log, metrics, storage: { sql, objects } }: Foundation,
  { formulas, pool, report, transparencyLog, damage, growth, others, bus }: WorkbookNeeds,
): Promise<WorkbookParts> {
  const historyTable = new HistoryTable(sql);
  const stored = { objects, table: historyTable, damage, environment };
  const [sealed, snapshots] = [new SealedLog(stored), new Snapshots(stored)];
  const rows = new PostgresJournal(sql, undefined, environment);
  const onDiverged = (found: Divergence): void => {
    noteDivergence({ log, metrics }, found);
    registry.dropped(found.address.workbookId);
  };
  const layered = new AcknowledgedJournal(new LayeredJournal(rows, sealed), onDiverged);
  const store = new LoggedJournal(layered, transparencyLog);
  const contents = new WorkbookContents(formulas);
  const memory = new StateMemory({ bytesMost: config.memory.stateBytes, environment });
  metrics.watchMemory(memory);
  const reading = { store, snapshots, contents, hasTail: rows.hasTail.bind(rows) };
  const loader = new Loader({ ...reading, environment, memory, damage, report });
  const commitTable = new CommitTable(sql);
  growth.weigh(({ workbookId }) => memory.bytesOf(workbookId));
  const branches = new Branches({
    growth,
    rejections: new RejectionTable(sql),
    store,
    loader,
    snapshots,
    tags: commitTable,
    environment,
    report,
    others,
  });
  branches.subscribe(({ records }) => metrics.operationsAppended.inc(records.length));
  await followOthers({ branches, rows, bus });
  const table = new WorkbookTable(sql);
  const keptFiles = new KeptFiles(objects);
  for (const id of await table.removeAbandoned()) {
    keptFiles.removeAll(id).catch((cause: unknown) => report('remove an abandoned import', cause));
  }
  const registry = new WorkbookRegistry(table, environment);
  await registry.start();
  const making = { table, journal: branches, keptFiles, environment, report };
  const creation = new WorkbookCreation(making);
  const files = new PoolFileReader(pool);
  const bodies = new PoolBodies(pool);
  const flusher = new Flusher(store, sealed);
  const commits = new Commits({ table: commitTable, branches, flusher, environment });
  const settings = upkeepSettings(config.keeper);
  const history = { store, rows, sealed, snapshots, table: historyTable };
  const mender = new Mender({ ...history, damage, loader, environment, metrics });
  const made = { branches, commits, mender, damage, environment, metrics };
  const upkeep = new Upkeep({ ...history, ...settings, ...made });
  const keeping = { upkeep, table: new KeeperTable(sql), branches, environment, metrics, report };
  const keeper = new Keeper({ ...config.keeper, ...keeping });
  for (const known of [keeper, store, damage]) registry.whenGone((id) => known.forget(id));
  damage.whenFound((found) => keeper.mend(found));
  keeper.start();
  const served = { registry, creation, files, bodies };
  return { branches, commitTable, commits, keeper, registry, keptFiles, workbooks: served };
}

function joinNodes(foundation: Foundation, report: Report): Promise<StartedNodes> {
  const { config, environment, nodeId, storage } = foundation;
  const isEmbedded = config.databaseUrl === undefined;
  const version = readVersion();
  return startNodes({ sql: storage.sql, environment, nodeId, version, isEmbedded, report });
}

interface Following {
  readonly branches: Branches;
  readonly rows: PostgresJournal;
  readonly bus: HeadBus;
}

/** Tells other processes of each commit here, and brings what is in memory to theirs. */
function followOthers({ branches, rows, bus }: Following): Promise<void> {
  branches.subscribe(({ workbookId, branchNo, lastSeq, isForeign = false }) => {
    if (!isForeign) bus.tell({ workbookId, branchNo, head: lastSeq });
  });
  return bus.start({
    watched: () => [...branches.liveHeads()],
    moved: (known) => rows.movedHeads(known),
    hear: (news) => branches.hear(news),
  });
}

function startReading(
  { config, environment, metrics, storage: { sql } }: Foundation,
  { pool, report, ...given }: ReadingNeeds,
): { jobs: Jobs; values: ScenarioServices } {
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
  return { jobs, values };
}

interface ReadingNeeds {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly keptFiles: KeptFiles;
  readonly pool: Pool;
  readonly report: Report;
}

interface MaintenanceParts {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly values: ScenarioServices;
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
