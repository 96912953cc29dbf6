import type { Forks } from '../branches/forks/forks.ts';
import type { Diffs } from '../diffs/diffs.ts';
import type { Attribution, Origins } from '../diffs/origins.ts';
import type { Foundation } from '../foundation.ts';
import { ConflictReader } from '../merges/conflicts/details.ts';
import { Decisions } from '../merges/decisions.ts';
import type { MergeServices } from '../merges/http.ts';
import { ListedStates } from '../merges/listed-states.ts';
import type { MergePool } from '../merges/merge-pool.ts';
import { Merges } from '../merges/merges.ts';
import { MergeTable } from '../merges/sql.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { startValues } from '../values/start.ts';
import type { MaintenanceParts } from './maintenance.ts';

interface MergeNeeds
  extends
    Pick<MaintenanceParts, 'branches' | 'registry' | 'policies'>,
    Pick<ReturnType<typeof startValues>, 'models' | 'source'> {
  readonly forks: Forks;
  readonly mergePool: MergePool;
  readonly journal: BackwardJournal;
  readonly diffs: Diffs;
  readonly origins: Origins;
  readonly unattributed: Attribution;
  readonly names: IdentityNames;
}

/** Starts merges, with the decisions and conflicts that their routes read. */
export function startMerges(
  { environment, storage: { sql } }: Foundation,
  { models, source, diffs, origins, unattributed, names, ...given }: MergeNeeds,
): MergeServices {
  const merges = new Merges({
    ...given,
    table: new MergeTable(sql),
    models,
    positions: source,
    environment,
  });
  source.offer((workbookId, id) => merges.previewOf(workbookId, id));
  const { branches, registry, policies } = given;
  const decisions = new Decisions({ merges, branches, registry, environment, origins });
  const reader = new ConflictReader({ models, environment });
  const listedStates = new ListedStates({ merges, policies, environment });
  const reading = { diffs, origins, reader, unattributed, listedStates, names };
  return { merges, decisions, registry, policies, ...reading };
}
