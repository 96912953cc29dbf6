/** The only entry of the pool's threads: the name of an export is the name of a task. */
import { exportWorkbook, type ExportTask } from './export-workbook.ts';
import { importWorkbook, type ImportTask } from './import-workbook.ts';
import { packValues, type PackResult, type PackTask } from './pack-values.ts';
import { recalculate, type RecalculateResult, type RecalculateTask } from './recalculate.ts';

export { exportWorkbook, importWorkbook, packValues, recalculate };

/** Payload and answer of each task. */
export interface Tasks {
  readonly recalculate: { payload: RecalculateTask; result: RecalculateResult };
  readonly packValues: { payload: PackTask; result: PackResult };
  readonly importWorkbook: { payload: ImportTask; result: void };
  readonly exportWorkbook: { payload: ExportTask; result: void };
}
