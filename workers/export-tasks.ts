/** Entry of the threads that write files: the name of an export is the name of a task. */
import { workerData } from 'node:worker_threads';

import { exportWorkbook, type ExportTask } from './export-workbook.ts';
import { useHashKey } from './hash-key.ts';

if (workerData instanceof Uint8Array) useHashKey(workerData);

export { exportWorkbook };

/** Payload and answer of each task about files that are written. */
export interface ExportTasks {
  readonly exportWorkbook: { payload: ExportTask; result: void };
}
