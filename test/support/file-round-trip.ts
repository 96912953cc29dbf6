import type { Operation } from '../../server/model/operation.ts';
import { operationSchema } from '../../server/model/operation.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { FileRecord } from '../../workers/files/file-record.ts';
import type { ImportedWorkbook } from '../../workers/files/imported-workbook.ts';
import type { WorkbookSource } from '../../workers/files/workbook-source.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import { Formulas } from '../../workers/formulas.ts';
import { viewsOf } from './record-driver.ts';
import { StateDriver } from './state-driver.ts';

/** The state that operations make; fails on one that is rejected, or that no client could send. */
export function stateOf(operations: Iterable<Operation>): StateDriver {
  const driver = new StateDriver(new Formulas());
  for (const { kind, payload } of operations) {
    const parsed = operationSchema.safeParse({ kind, payload });
    if (!parsed.success)
      throw new Error(`${kind} ${JSON.stringify(payload)}: ${parsed.error.message}`);
    const result = driver.submit(kind, payload);
    if (result instanceof Rejection) {
      throw new Error(`${kind} ${JSON.stringify(payload)}: ${result.message}`);
    }
  }
  return driver;
}

/** The records of a state as an export takes them, by the name of their sheet. */
export function fileRecordsOf({ state }: StateDriver): Map<string, FileRecord[]> {
  const found = new Map<string, FileRecord[]>();
  for (const { name } of state.structure.sheets) found.set(name, []);
  for (const { type, sheet, ranges, value } of viewsOf(state)) {
    found.get(state.structure.withId(sheet)?.name ?? '')?.push({ type, ranges, value });
  }
  return found;
}

/** A workbook as it is written: its cells from the file, its records from the state. */
export function sourceOf(workbook: ImportedWorkbook, driver: StateDriver): WorkbookSource {
  const records = fileRecordsOf(driver);
  const sheets = workbook.sheets.map(({ name, content, look }) => ({
    name,
    look,
    cells: () => content.cells(),
    records: records.get(name) ?? [],
  }));
  const { date1904, names, tables, look } = workbook;
  return { date1904, names, tables, sheets, look };
}

export function fileOf(source: WorkbookSource): Uint8Array {
  const chunks: Uint8Array[] = [];
  writeXlsx(source, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}
