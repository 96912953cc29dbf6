import type { Sql } from '../../storage/postgres.ts';
import { AheadCells, type AheadParts } from './ahead.ts';
import { Archiving } from './archiving.ts';
import { Forks, type ForkParts } from './forks.ts';
import { ForkTable } from './sql.ts';

export interface ForkNeeds extends AheadParts, Pick<ForkParts, 'branches' | 'policies'> {
  readonly sql: Sql;
  readonly branches: ForkParts['branches'];
}

/** Forks, their table, and what archives them in the background from then on. */
export function startForks({ sql, branches, policies, environment, report }: ForkNeeds) {
  const lineages = new ForkTable(sql);
  const ahead = new AheadCells({ branches, environment, report });
  const forks = new Forks({ table: lineages, branches, policies, ahead });
  const archiving = new Archiving({ table: lineages, branches, policies, environment, report });
  archiving.start();
  return { forks, lineages, archiving };
}
