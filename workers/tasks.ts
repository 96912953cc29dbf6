/** Entry of the threads of evaluations: the name of an export is the name of a task. */
import { workerData } from 'node:worker_threads';

import {
  copyModel,
  readChanges,
  type CopyResult,
  type CopyTask,
  type ReadChangesResult,
  type ReadChangesTask,
} from './copy-model.ts';
import { readBody, type ReadBodyTask } from './bodies/read-body.ts';
import { readRows, type ReadRowsTask } from './bodies/read-rows.ts';
import {
  evaluateFormula,
  type EvaluateFormulaResult,
  type EvaluateFormulaTask,
} from './evaluate-formula.ts';
import type { ExportTasks } from './export-tasks.ts';
import { importWorkbook, type ImportTask } from './import-workbook.ts';
import { useHashKey } from './hash-key.ts';
import { hashInputs, type HashTask } from './matching/inputs-hash.ts';
import type { PackedTexts } from './matching/shared-arrays.ts';
import {
  askNames,
  indexNames,
  suggestNames,
  type AskNamesTask,
  type NamedRow,
  type NameIndex,
  type SuggestTask,
} from './matching/name-index.ts';
import { prepareMatch, type PreparedMatch, type PrepareTask } from './matching/prepared.ts';
import { scaleVectors, scoreDense, type DenseTask, type ScaleTask } from './matching/dense.ts';
import { joinTexts, type JoinTextsTask } from './matching/joined-texts.ts';
import { planJudging, type JudgingTask } from './matching/judging.ts';
import { readVectors, type VectorsRead, type VectorsTask } from './matching/vector-body.ts';
import { scoreChunk, verifyChunk, type ChunkTask, type VerifyTask } from './matching/chunks.ts';
import { writeRows, type WriteTask, type WrittenRows } from './matching/written-rows.ts';
import { packValues, type PackResult, type PackTask } from './pack-values.ts';
import { recalculate, type RecalculateResult, type RecalculateTask } from './recalculate.ts';
import type { StateTasks } from './state-tasks.ts';
import { watchModel, type WatchResult, type WatchTask } from './watch-model.ts';

// Any other data means that no key was passed, as outside of the pool.
if (workerData instanceof Uint8Array) useHashKey(workerData);

export {
  askNames,
  copyModel,
  evaluateFormula,
  hashInputs,
  importWorkbook,
  indexNames,
  joinTexts,
  packValues,
  planJudging,
  prepareMatch,
  readBody,
  readChanges,
  readRows,
  readVectors,
  recalculate,
  scaleVectors,
  scoreChunk,
  scoreDense,
  suggestNames,
  verifyChunk,
  watchModel,
  writeRows,
};

/** Payload and answer of each task of any thread. */
export interface Tasks extends StateTasks, ExportTasks {
  readonly recalculate: { payload: RecalculateTask; result: RecalculateResult };
  readonly watchModel: { payload: WatchTask; result: WatchResult };
  readonly copyModel: { payload: CopyTask; result: CopyResult };
  readonly readChanges: { payload: ReadChangesTask; result: ReadChangesResult };
  readonly evaluateFormula: { payload: EvaluateFormulaTask; result: EvaluateFormulaResult };
  readonly packValues: { payload: PackTask; result: PackResult };
  readonly importWorkbook: { payload: ImportTask; result: void };
  readonly readBody: { payload: ReadBodyTask; result: void };
  readonly readRows: { payload: ReadRowsTask; result: void };
  readonly hashInputs: { payload: HashTask; result: Uint8Array };
  readonly joinTexts: { payload: JoinTextsTask; result: PackedTexts };
  readonly indexNames: { payload: { readonly texts: PackedTexts }; result: NameIndex };
  readonly askNames: { payload: AskNamesTask; result: NamedRow[][] };
  readonly suggestNames: { payload: SuggestTask; result: number[] };
  readonly prepareMatch: { payload: PrepareTask; result: PreparedMatch };
  readonly scoreChunk: { payload: ChunkTask; result: Uint8Array };
  readonly readVectors: { payload: VectorsTask; result: VectorsRead };
  readonly scaleVectors: { payload: ScaleTask; result: void };
  readonly scoreDense: { payload: DenseTask; result: Uint8Array };
  readonly planJudging: { payload: JudgingTask; result: Uint8Array };
  readonly verifyChunk: { payload: VerifyTask; result: Uint8Array };
  readonly writeRows: { payload: WriteTask; result: WrittenRows };
}
