import { LRUCache } from 'lru-cache';

import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import type { TableExtent } from '../../state/tables/table-extent.ts';
import type { ModelParts } from '../../values/model-view.ts';
import type { Definitions } from './asked-names.ts';
import type { ColumnLoader, LoadedFrom } from './column-values.ts';
import type { Condition, Conditions } from './conditions.ts';
import { distinctOf, type DistinctValues } from './distinct.ts';
import { fitting, QuestionModel, verdict, type Answered } from './question.ts';

interface JudgeParts extends ModelParts {
  readonly environment: Environment;
}

interface Judged extends LoadedFrom {
  readonly table: StoredTable;
  readonly state: BranchState;
  readonly extent: TableExtent;
  readonly definitions: Definitions;
}

/** The distinct values of a column, and a model with them. */
interface KnownColumn {
  readonly distinct: DistinctValues;
  readonly model: QuestionModel;
}

/** Number of distinct values from which they save no time against all rows. */
const distinctMost = 65_536;
const keptRows = 16_000_000;
/** Number of kept models, each with a kernel memory. */
const keptModels = 16;
const rowsAtOnce = 1 << 18;

/**
 * Judges rows by conditions on single columns: the kernel evaluates a condition for the distinct
 * values of its column, and each row looks up the verdict of its value.
 */
export class ConditionJudge {
  readonly #parts: JudgeParts;
  readonly #loader: ColumnLoader;
  /** Columns by position, table and column; returns false for too many values. */
  readonly #known = new LRUCache<string, KnownColumn | false>({
    max: keptModels,
    maxSize: keptRows,
    sizeCalculation: (known) => (known === false ? 1 : known.distinct.codes.length + 1),
  });

  constructor(parts: JudgeParts, loader: ColumnLoader) {
    this.#parts = parts;
    this.#loader = loader;
  }

  /** Drops a workbook from memory. */
  forget(workbookId: string): void {
    for (const key of this.#known.keys()) {
      if (key.startsWith(`${workbookId}/`)) this.#known.delete(key);
    }
  }

  /** Judges rows; undefined if a column has too many distinct values. */
  async judge(
    whole: Judged,
    position: string,
    conditions: Conditions,
  ): Promise<Answered | undefined> {
    const verdicts = await this.#verdicts(whole, position, conditions);
    return verdicts && fitting(verdicts);
  }

  async #verdicts(
    whole: Judged,
    position: string,
    { wanted, parts }: Conditions,
  ): Promise<Uint8Array | undefined> {
    const { rowCount } = whole.extent;
    const pace = new Pace(this.#parts.environment);
    const joining = joiningOf(wanted === 'all' ? verdict.no : verdict.yes);
    const verdicts = new Uint8Array(rowCount).fill(verdict.none);
    for (const part of parts) {
      const judged =
        'parts' in part
          ? byRow(await this.#verdicts(whole, position, part))
          : await this.#judgePart(whole, position, part);
      if (!judged) return undefined;
      for (let from = 0; from < rowCount; from += rowsAtOnce) {
        const to = Math.min(rowCount, from + rowsAtOnce);
        join(verdicts, judged, { from, to, joining });
        if (pace.isDue) await pace.rest();
      }
    }
    return verdicts;
  }

  async #judgePart(
    whole: Judged,
    position: string,
    { formula, beside, column }: Condition,
  ): Promise<PartVerdicts | undefined> {
    const known = await this.#columnOf(whole, position, column);
    if (!known) return undefined;
    const { model, distinct } = known;
    try {
      const alone = await model.verdicts(formula, whole.definitions);
      const isDoubtful = beside !== undefined && alone.includes(verdict.error);
      const byCode = isDoubtful
        ? passedOver(alone, await model.verdicts(beside, whole.definitions))
        : alone;
      return { codes: distinct.codes, byCode };
    } catch (error) {
      // The memory is in an unknown state.
      this.#known.clear();
      throw error;
    }
  }

  async #columnOf(
    whole: Judged,
    position: string,
    column: StoredColumn | undefined,
  ): Promise<KnownColumn | undefined> {
    const key = `${position} ${column?.id ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known === false ? undefined : known;
    const distinct = column ? await this.#distinct(whole, column) : noColumn(whole);
    if (!distinct) {
      this.#known.set(key, false);
      return undefined;
    }
    const columns = column ? [column] : [];
    const { table, state } = whole;
    const held = column ? [distinct.values] : [];
    const asked = { table, state, rowCount: distinct.count, columns: held };
    const made = { distinct, model: await QuestionModel.load(columns, asked, this.#parts) };
    this.#known.set(key, made);
    return made;
  }

  async #distinct(whole: Judged, column: StoredColumn): Promise<DistinctValues | undefined> {
    const values = await this.#loader.load(whole, column);
    const most = Math.min(distinctMost, Math.ceil(whole.extent.rowCount / 2));
    return new Pace(this.#parts.environment).run(distinctOf(values, most));
  }
}

/** Turns an error of the formula alone into `none` if it is none beside a neutral condition. */
function passedOver(alone: Uint8Array, beside: Uint8Array): Uint8Array {
  return alone.map((own, code) => {
    return own === verdict.error && beside[code] !== verdict.error ? verdict.none : own;
  });
}

interface PartVerdicts {
  /** Code of each row for verdicts by code; undefined for verdicts by row. */
  readonly codes: Uint32Array | undefined;
  readonly byCode: Uint8Array;
}

/** Verdicts of a nested AND or OR, which is an error by itself if nothing decides it. */
function byRow(byCode: Uint8Array | undefined): PartVerdicts | undefined {
  return byCode && { codes: undefined, byCode: byCode.map(withoutNone) };
}

function withoutNone(one: number): number {
  return one === verdict.none ? verdict.error : one;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Distinct values for a condition without a column, for which all rows are equal. */
function noColumn({ extent: { rowCount } }: Judged): DistinctValues {
  const values = { tags: new Uint8Array(1), numbers: new Float64Array(1), texts: [] };
  return { codes: new Uint32Array(rowCount), values, count: 1, firstRows: new Uint32Array(1) };
}

/** Number of verdicts. */
const verdictCount = 4;

/**
 * Makes the table of joint verdicts on two conditions, by `own * verdictCount + other`: an error of
 * either is an error of both, and a neutral one changes nothing.
 */
function joiningOf(deciding: number): Uint8Array {
  const joined = new Uint8Array(verdictCount * verdictCount);
  for (let own = 0; own < verdictCount; own++) {
    for (let other = 0; other < verdictCount; other++) {
      const strongest = [verdict.error, deciding].find((one) => own === one || other === one);
      const weaker = own === verdict.none ? other : own;
      joined[own * verdictCount + other] = strongest ?? weaker;
    }
  }
  return joined;
}

function join(
  verdicts: Uint8Array,
  { codes, byCode }: PartVerdicts,
  { from, to, joining }: Stretch & { readonly joining: Uint8Array },
): void {
  for (let row = from; row < to; row++) {
    const other = byCode[codes ? (codes[row] ?? 0) : row] ?? verdict.none;
    verdicts[row] = joining[(verdicts[row] ?? 0) * verdictCount + other] ?? verdict.none;
  }
}
