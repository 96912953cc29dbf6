import type { Branches } from '../../branches/branches.ts';
import { LayeredJournal } from '../../branches/layered-journal.ts';
import { PostgresJournal } from '../../branches/sql.ts';
import type { DamageList } from '../../history/damage.ts';
import { SealedLog } from '../../history/sealed-log-store.ts';
import { HistoryTable } from '../../history/sql.ts';
import type { Environment } from '../../model/environment.ts';
import type { Storage } from '../../storage/storage.ts';
import type { TransparencyLog } from '../../tlog/service/transparency-log.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { ProofBundles } from './bundle.ts';
import type { ProofServices } from './http.ts';
import { OperationProofs } from './operation.ts';

export interface ProofNeeds {
  readonly storage: Pick<Storage, 'sql' | 'objects'>;
  readonly environment: Environment;
  readonly registry: WorkbookRegistry;
  readonly branches: Branches;
  readonly log: Pick<TransparencyLog, 'statements' | 'reader'>;
  /** List of missing and damaged sealed objects. */
  readonly damage: DamageList;
}

/** Starts proofs over a separate journal, which knows only stored data. */
export function startProofs(needs: ProofNeeds): ProofServices {
  const { storage, environment, registry, branches, log, damage } = needs;
  const { sql, objects } = storage;
  const sealed = new SealedLog({ objects, table: new HistoryTable(sql), damage });
  const journal = new LayeredJournal(new PostgresJournal(sql), sealed);
  const { statements, reader } = log;
  const operations = new OperationProofs({ statements, reader, journal });
  const bundles = new ProofBundles(log, branches);
  return { registry, environment, branches, bundles, operations };
}
