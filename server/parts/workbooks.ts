import { AcknowledgedJournal } from '../branches/acknowledged-journal.ts';
import type { Divergence } from '../branches/acknowledged-journal.ts';
import { Branches } from '../branches/branches.ts';
import { Commits } from '../branches/commits/commits.ts';
import { Flusher } from '../branches/commits/flush.ts';
import { CommitTable } from '../branches/commits/sql.ts';
import type { Growth } from '../branches/growth.ts';
import { Keeper, upkeepSettings } from '../branches/keeper/keeper.ts';
import { Mender } from '../branches/keeper/mender.ts';
import { KeeperTable } from '../branches/keeper/sql.ts';
import { Upkeep } from '../branches/keeper/upkeep.ts';
import { LayeredJournal } from '../branches/layered-journal.ts';
import { Loader } from '../branches/loader.ts';
import { LoggedJournal } from '../branches/logged-journal.ts';
import { StateMemory } from '../branches/memory.ts';
import type { OtherWriters } from '../branches/newest-rows.ts';
import { RejectionTable } from '../branches/rejections/sql.ts';
import { PostgresJournal } from '../branches/sql.ts';
import { PoolBodies } from '../compute/pool-bodies.ts';
import { PoolFileReader } from '../compute/pool-files.ts';
import type { Pool } from '../compute/pool.ts';
import { noteDivergence } from '../foundation.ts';
import type { Foundation, Report } from '../foundation.ts';
import { WorkbookContents } from '../history/content.ts';
import type { DamageList } from '../history/damage.ts';
import { noteOlderStore } from '../history/older-store.ts';
import { SealedLog } from '../history/sealed-log-store.ts';
import { Snapshots } from '../history/snapshots.ts';
import { HistoryTable } from '../history/sql.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { HeadBus } from '../nodes/head-bus.ts';
import type { TransparencyLog } from '../tlog/service/transparency-log.ts';
import { WorkbookCreation } from '../workbooks/creation.ts';
import type { WorkbookServices } from '../workbooks/http.ts';
import { KeptFiles } from '../workbooks/kept-files.ts';
import { WorkbookRegistry } from '../workbooks/registry.ts';
import { WorkbookTable } from '../workbooks/sql.ts';

export interface WorkbookParts {
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

/** Starts workbooks and their branches: journal, history, snapshots, keeper, registry. */
export async function startWorkbooks(
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
  const files = new PoolFileReader(pool, environment);
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
  const warn = (message: string): void => log.warn(message);
  void noteOlderStore({ table: historyTable, objects, damage, warn, report });
  const served = { registry, creation, files, bodies };
  return { branches, commitTable, commits, keeper, registry, keptFiles, workbooks: served };
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
