import { isoText } from '../../../server/model/serial-date.ts';
import { isDay, readEntered } from '../../../server/model/typed-input.ts';

/** A table as the service lists it (docs/api.md "Tables"). */
export interface TableView {
  readonly id: string;
  readonly name: string;
  readonly sheet: string;
  readonly range: string;
  readonly keyColumn: string | null;
  readonly schema: { readonly columns: readonly TableColumn[] };
  readonly rowCount: number;
}

export interface TableColumn {
  readonly name: string;
  readonly type?: string;
  /** False where a value is needed. */
  readonly nullable?: boolean;
  /** Value of new rows that have none. */
  readonly default?: unknown;
  /** The only values there may be. */
  readonly enum?: readonly unknown[];
  readonly formula?: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface RowPage {
  readonly ref: { readonly branch: string; readonly seq: number };
  readonly columns: readonly string[];
  readonly total: number;
  readonly errors?: number;
  readonly rows: readonly Row[];
}

/** Rows of a page as texts. */
export interface ShownPage {
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface GroupPage {
  readonly columns: readonly string[];
  readonly total: number;
  readonly groups: readonly Row[];
}

/** A rejected row, and why. */
export interface RejectedRow {
  readonly row: number;
  readonly key: unknown;
  readonly column?: string;
  readonly code: string;
  readonly message: string;
}

export interface Written {
  readonly ref: string;
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly rejected: readonly RejectedRow[];
  /** How many rejected rows are not listed. */
  readonly rejectedMore: number;
  /** Chunks of a large file of which nothing was written, by their first and last row. */
  readonly refused: readonly {
    readonly rows: readonly [number, number];
    readonly code: string;
    readonly message: string;
  }[];
}

export interface RowChange {
  readonly key: unknown;
  readonly change: string;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly columns: readonly string[];
}

/**
 * Returns the value of a typed text for a column: unless the column has texts, it is read as input
 * of a sheet. A date is written as text, because its number depends on the date system.
 */
export function valueOf(text: string, type: string | undefined): unknown {
  if (type === 'text') return text === '' ? null : text;
  const typed = readEntered(text);
  const { input } = typed;
  if (typeof input === 'number' && isDay(typed)) {
    if (type === 'date') return isoText(input, false).slice(0, 10);
    if (type === 'datetime') return isoText(input, false);
  }
  return typeof input === 'object' && input !== null && 'formula' in input ? text : input;
}
