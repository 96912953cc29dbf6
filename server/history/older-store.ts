import type { Objects } from '../storage/objects.ts';
import type { DamageList } from './damage.ts';
import type { HistoryTable } from './sql.ts';

interface StoreParts {
  readonly table: Pick<HistoryTable, 'newestObjects'>;
  readonly objects: Pick<Objects, 'head'>;
  readonly damage: Pick<DamageList, 'note'>;
  readonly warn: (message: string) => void;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * Looks for the newest objects that the database knows of: a store from an older backup lacks them.
 * They are noted as damaged, so that those are made anew of which there are rows.
 */
export async function noteOlderStore({ table, objects, damage, warn, report }: StoreParts) {
  try {
    const known = await table.newestObjects();
    const heads = await Promise.all(known.map(({ objectKey }) => objects.head(objectKey)));
    const missing = known.filter((_, index) => heads[index] === undefined);
    if (missing.length === 0) return;
    warn(
      `the object store lacks ${missing.length} of the ${known.length} newest objects that the ` +
        'database knows of: it may be from an older backup. What the database has rows of is made ' +
        'anew; POST /v1/workbooks/{id}/verify names what is lost',
    );
    for (const one of missing) damage.note(one);
  } catch (error) {
    report('look for the newest objects of the database', error);
  }
}
