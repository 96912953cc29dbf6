import type { Branches } from '../../branches/branches.ts';
import type { DamageList } from '../../history/damage.ts';
import { SealedLog } from '../../history/sealed-log-store.ts';
import { HistoryTable } from '../../history/sql.ts';
import type { Environment } from '../../model/environment.ts';
import type { Storage } from '../../storage/storage.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { BackwardJournal } from './backwards.ts';
import { Blame, type BlameParts } from './blame.ts';
import type { BlameServices } from './http.ts';
import { BackwardTable } from './sql.ts';

/** Most operations read for one answer, approximately: a second or two. */
const blameOperationsMost = 100_000;

export function startBlame(
  environment: Environment,
  given: Pick<BlameParts, 'journal' | 'holdings' | 'names'> & {
    source: Branches;
    registry: WorkbookRegistry;
  },
): BlameServices {
  const operationsMost = blameOperationsMost;
  return { ...given, blame: new Blame({ ...given, environment, operationsMost }) };
}

export function openBackwardJournal(
  { sql, objects }: Pick<Storage, 'sql' | 'objects'>,
  damage: DamageList,
  environment: Environment,
): BackwardJournal {
  const sealed = new SealedLog({ objects, table: new HistoryTable(sql), damage });
  return new BackwardJournal({ table: new BackwardTable(sql), sealed, environment });
}
