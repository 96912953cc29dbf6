import type { components, operations } from './api.d.ts';
import type { CallSettings } from './call.ts';
import type { SubmissionResult } from './problem.ts';

type Schemas = components['schemas'];
export type Input = Schemas['Input'];
export type Lens = 'value' | 'formula' | 'input' | 'formatted';

export interface SubmitOptions extends CallSettings {
  readonly writer?: string;
  readonly baseSeq?: number;
  readonly mode?: 'rebase' | 'strict' | 'atomic';
  readonly group?: string;
  /** Number of changed cells to answer at most; 100 by default. */
  readonly changes?: number;
}

export interface Submitted extends Omit<SubmissionResult, 'changes'> {
  readonly changes?: SubmissionResult['changes'];
  /** Position after the submission, such as `main@42`. */
  readonly ref: string;
}

/** A cell whose value changed. */
export type ChangedCell = Schemas['ChangesCells'];

export interface Written extends Omit<Submitted, 'changes'> {
  /** Cells that changed by the submission: at most the wished number, new errors, and the total. */
  readonly changes: {
    readonly cells: readonly ChangedCell[];
    readonly errors: readonly ChangedCell[];
    readonly total: number;
  };
}

export interface ReadOptions extends CallSettings {
  /** `main`, `main@42`, `commit:v1` or `merge:mrg_…`; the workbook's branch by default. */
  readonly ref?: string;
}

export interface FindOptions extends ReadOptions {
  /** Sheet to search; all sheets by default. */
  readonly sheet?: string;
  readonly lens?: 'value' | 'formula' | 'input';
  readonly match?: 'contains' | 'whole' | 'starts';
  readonly caseSensitive?: boolean;
}

/** An operation of the journal. */
export type JournalItem = Schemas['HistoryPage']['ops'][number];

export interface JournalOptions extends CallSettings {
  /** True to include the payload of each operation. */
  readonly payload?: boolean;
}

/** A what-if question: inputs by cell, and the formulas and ranges to be evaluated with them. */
export interface ScenarioWishes {
  readonly set?: Readonly<Record<string, Input>>;
  /** Formulas with their `=`. Cells in them are on the first sheet, or on the named one. */
  readonly formulas?: readonly (string | { readonly formula: string; readonly sheet?: string })[];
  readonly ranges?: string[];
  /** Number of changed cells to answer at most; 100 by default. */
  readonly changes?: number;
}

type RowsQuery = NonNullable<operations['getWorkbooksTablesRows']['parameters']['query']>;

/** A query of table rows: a condition, columns, an order, or groups. */
export type RowsWishes = Omit<
  RowsQuery,
  'ref' | 'whole' | 'as' | 'escape' | 'minSeq' | 'consistency'
>;
