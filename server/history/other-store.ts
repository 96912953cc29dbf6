import type { Objects } from '../storage/objects.ts';
import type { HistoryTable } from './sql.ts';

interface StoreParts {
  readonly table: Pick<HistoryTable, 'someKeys'>;
  readonly objects: Pick<Objects, 'head'>;
  readonly warn: (message: string) => void;
  readonly report: (step: string, error: unknown) => void;
}

const warning =
  'OBJECT_STORE_URL names a store that has none of the objects that this database knows of: ' +
  'with the store of another service, or an empty one, history is torn in two. Stop it, and set the ' +
  'store of this database';

/** Warns when the store is not that of the database, as far as some objects of it can tell. */
export async function warnOfOtherStore({ table, objects, warn, report }: StoreParts) {
  try {
    const keys = await table.someKeys();
    const found = await Promise.all(keys.map((key) => objects.head(key)));
    if (keys.length > 0 && found.every((head) => head === undefined)) warn(warning);
  } catch (error) {
    report('compare the object store with the database', error);
  }
}
