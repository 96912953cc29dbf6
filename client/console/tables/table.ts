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
  readonly nullable?: boolean;
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

/** The rows of a page as texts. */
export interface ShownPage {
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface GroupPage {
  readonly columns: readonly string[];
  readonly total: number;
  readonly groups: readonly Row[];
}

/** A row that was not taken, and why. */
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
}

export interface RowChange {
  readonly key: unknown;
  readonly change: string;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly columns: readonly string[];
}

/**
 * Returns what a typed text means in a column: what is no text there is read as a sheet would. A
 * moment is written out, as its number is another one where the workbook counts from 1904.
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
