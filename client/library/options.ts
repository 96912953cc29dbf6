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
  /** So many cells that come to another value are answered; 100 when left out. */
  readonly changes?: number;
}

export interface Submitted extends Omit<SubmissionResult, 'changes'> {
  readonly changes?: SubmissionResult['changes'];
  /** The position after it: `main@42`. */
  readonly ref: string;
}

/** A cell that came to another value. */
export type ChangedCell = Schemas['ChangesCells'];

export interface Written extends Omit<Submitted, 'changes'> {
  /** The changes that the submission brought about. */
  readonly changes: {
    readonly cells: readonly ChangedCell[];
    readonly errors: readonly ChangedCell[];
    readonly total: number;
  };
}

export interface ReadOptions extends CallSettings {
  /** `main`, `main@42`, `commit:v1`, `merge:mrg_…`; the branch of the workbook when left out. */
  readonly ref?: string;
}

export interface FindOptions extends ReadOptions {
  /** The only sheet that is looked at. */
  readonly sheet?: string;
  readonly lens?: 'value' | 'formula' | 'input';
  readonly match?: 'contains' | 'whole' | 'starts';
  readonly caseSensitive?: boolean;
}

/** An operation of the journal. */
export type JournalItem = Schemas['HistoryPage']['ops'][number];

export interface JournalOptions extends CallSettings {
  /** Includes the payload of each operation. */
  readonly payload?: boolean;
}

/** A what-if: inputs by cell, and the formulas and ranges that are wanted of it. */
export interface ScenarioWishes {
  readonly set?: Readonly<Record<string, Input>>;
  /** Texts with `=`; their cells are of the first sheet, or of the one named. */
  readonly formulas?: readonly (string | { readonly formula: string; readonly sheet?: string })[];
  readonly ranges?: string[];
  /** So many changed cells are told; 100 when left out. */
  readonly changes?: number;
}

type RowsQuery = NonNullable<operations['getWorkbooksTablesRows']['parameters']['query']>;

/** A question about the rows of a table: a formula over the row, its columns, or groups of rows. */
export type RowsWishes = Omit<RowsQuery, 'ref' | 'whole' | 'as' | 'escape' | 'minSeq'>;
