import type { RowReader } from '../model/row-writes.ts';
import type { ModelParts } from '../values/model-view.ts';
import type { Models } from '../values/models.ts';
import type { RowReadingServices } from './reading/http.ts';
import { RowReading } from './reading/row-reader.ts';
import { Tables, type TableParts } from './tables.ts';
import type { RowWritingServices } from './writing/http.ts';
import { RowWriter } from './writing/row-writer.ts';

interface Given extends TableParts {
  readonly rowReader: RowReader;
  readonly models: Models;
  readonly pool: ModelParts['pool'];
}

/** Starts the services that the routes of this folder serve from. */
export function startTables(given: Given): RowReadingServices & RowWritingServices {
  const { registry, branches: source, environment, rowReader } = given;
  const tables = new Tables(given);
  const rowReading = new RowReading({ ...given, source });
  registry.whenGone((id) => rowReading.forget(id));
  const reading = { registry, source, tables, rowReading, environment };
  return { ...reading, rowReader, rowWriter: new RowWriter(given) };
}
