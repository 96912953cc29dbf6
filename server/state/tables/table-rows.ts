import { isFormulaInput } from '../../model/cell-value.ts';
import type { WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { isRowList } from '../../model/payload-tables.ts';
import { Rejection } from '../../model/rejection.ts';
import { asSentence } from '../../model/sentence.ts';
import { readColumnValue, type ColumnValue } from '../../model/table-column.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { isKey, keyName, type KeyName } from '../cells/key-index.ts';
import type { KeyedRows } from '../cells/key-table.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import {
  rejectedRowsMost,
  type RejectedRow,
  type RowCounts,
  type RowFaultCode,
} from '../plan/row-counts.ts';
import { readAt } from '../operations/plan-inputs.ts';
import { isKeyColumn, seekColumn, type ColumnTarget, type TableTarget } from './table-target.ts';
import { keyColumnOf, type StoredColumn } from '../structure/tables.ts';

/** The payload of rows.upsert; that of rows.import is the same. */
type RowsPayload = Payload<'rows.upsert'>;
type TableRow = RowsPayload['rows'][number];

const rowsBetweenPauses = 64;

/** The value sent for one cell, read; `wire` spells it again at the head. */
export interface ReadValue extends ColumnValue {
  /** Wire input of the value; undefined for one that the schema gives a new row. */
  readonly wire: WireInput | undefined;
}

export interface ReadRow {
  /** Place in the payload. */
  readonly index: number;
  readonly key: CodedCell;
  /** The row of the table that has this key already. */
  readonly known: { readonly id: LineId; readonly position: number } | undefined;
  /**
   * Values, one for each column of the table; undefined where nothing was sent and nothing is to be
   * written.
   */
  readonly values: readonly (ReadValue | undefined)[];
}

export interface ReadRows {
  readonly rows: readonly ReadRow[];
  /** Columns that the payload names, by their place in the table. */
  readonly columns: readonly number[];
  /** Pointers to rows left out, and columns that were dropped since the base. */
  readonly clipped: readonly string[];
  readonly faults: Pick<RowCounts, 'rejected' | 'rejectedCount'>;
  /** True when the payload reads differently at the head. */
  readonly isRespelled: boolean;
}

export function neededKey({ table }: TableTarget): StoredColumn {
  const column = keyColumnOf(table);
  if (column) return column;
  throw new Rejection('key_needed', `${table.name} has no key column`);
}

/** Reads the rows of a payload against the schema; rows of an import say all there is of them. */
export function* readRows(
  payload: RowsPayload,
  { target, isImport }: { target: TableTarget; isImport: boolean },
  context: PlanContext,
): Generator<void, ReadRows> {
  const key = neededKey(target);
  const cells = context.cellsOf(target.sheet);
  const lookUp = yield* context.keys.of(target.sheet, key.line, cells);
  const reader = new RowReader(payload, { target, isImport, lookUp }, context);
  for (let index = 0; index < payload.rows.length; index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    reader.add(index);
  }
  return reader.finish();
}

interface ReaderParts {
  readonly target: TableTarget;
  readonly isImport: boolean;
  readonly lookUp: (key: CodedCell) => KeyedRows | undefined;
}

interface FaultPlace {
  readonly code: RowFaultCode;
  readonly pointer: string;
  /** Name of the column. */
  readonly column?: string;
}

/** A fault of one row, which `onInvalid: skip` leaves out. */
class RowFault extends Error {
  readonly place: FaultPlace;

  constructor(message: string, place: FaultPlace) {
    super(message);
    this.place = place;
  }
}

/** A value in the payload. */
interface MemberPlace {
  readonly index: number;
  /** Name of the column. */
  readonly name: string;
  /** Place in a list, or the name. */
  readonly step: number | string;
}

const leavingOut = 'Correct what pointer names, or send onInvalid: skip to leave such rows out.';

/** Cell that keys are read at: only a formula depends on where it stands, and no key is one. */
const corner = { row: 0, column: 0 };

const keyFaults = {
  key_blank: (name: string) => `a row needs its key, ${name}`,
  key_formula: (name: string) => `${name}: a key is no formula`,
  key_repeated: (name: string) => `${name}: an earlier row has this key`,
  bad_key: (name: string) => `${name}: a key is a text, a number or a date`,
};

function badValue({ name }: StoredColumn, fault: string, place: MemberPlace): RowFault {
  const pointer = pointerOf(place);
  return new RowFault(`${name}: ${fault}`, { code: 'bad_value', pointer, column: name });
}

function pointerOf({ index, step }: MemberPlace): string {
  return `/rows/${index}/${pointerStep(String(step))}`;
}

class RowReader {
  readonly #payload: RowsPayload;
  readonly #parts: ReaderParts;
  readonly #context: PlanContext;
  readonly #keyIndex: number;
  readonly #listed: readonly string[];
  readonly #reading: { readonly raw: boolean; readonly date1904: boolean };
  /** Columns by the names that rows have for them; undefined for one dropped since the base. */
  readonly #columns = new Map<string, ColumnTarget | undefined>();
  readonly #defaults: readonly (ReadValue | undefined | string)[];
  /** The values of a row of which nothing is read yet. */
  readonly #blank: readonly undefined[];
  readonly #rows: ReadRow[] = [];
  readonly #keys = new Set<KeyName>();
  /** True for each column of the table that a row names. */
  readonly #named: boolean[];
  readonly #clipped: string[] = [];
  readonly #rejected: RejectedRow[] = [];
  #rejectedCount = 0;
  #isRespelled = false;

  constructor(payload: RowsPayload, parts: ReaderParts, context: PlanContext) {
    this.#payload = payload;
    this.#parts = parts;
    this.#context = context;
    const date1904 = context.settings.get('dateSystem') === 1904;
    this.#reading = { raw: payload.raw === true, date1904 };
    const { table } = parts.target;
    this.#keyIndex = table.columns.findIndex((column) => isKeyColumn(table, column));
    const reading = { raw: false, date1904 };
    this.#defaults = table.columns.map((column) => defaultOf(column, reading));
    this.#named = table.columns.map(() => false);
    this.#blank = table.columns.map(() => undefined);
    // Lists without `columns` mean those that the client saw.
    this.#listed = payload.columns ?? parts.target.seen.columns.map(({ name }) => name);
  }

  add(index: number): void {
    try {
      this.#read(index);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      if (this.#payload.onInvalid !== 'skip') {
        const { pointer } = error.place;
        throw new Rejection('row_invalid', error.message, undefined, pointer).advise(leavingOut);
      }
      this.#leaveOut(index, error);
      this.#isRespelled = true;
    }
  }

  #leaveOut(row: number, { message, place }: RowFault): void {
    const { code, pointer, column = null } = place;
    this.#clipped.push(pointer);
    this.#rejectedCount++;
    if (this.#rejectedCount > rejectedRowsMost) return;
    this.#rejected.push({
      row,
      key: this.#keySent(row),
      column,
      code,
      message: asSentence(message),
    });
  }

  #keySent(index: number): WireInput {
    const row = this.#payload.rows[index] ?? [];
    const own = this.#parts.target.table.columns[this.#keyIndex]?.id;
    const isOwn = (name: string) => this.#columns.get(name)?.column.id === own;
    if (isRowList(row)) return row[this.#listed.findIndex(isOwn)] ?? null;
    return Object.entries(row).find(([name]) => isOwn(name))?.[1] ?? null;
  }

  finish(): ReadRows {
    const { table } = this.#parts.target;
    const dropped = [...this.#columns].filter(([, column]) => column === undefined);
    const gone = dropped.map(([name]) => `${table.name}[${name}]`);
    const sent = [...this.#columns.values()].map((column) => column?.index ?? this.#keyIndex);
    if (gone.length > 0 && sent.every((at) => at === this.#keyIndex)) {
      throw new Rejection('target_deleted', `${gone.join(', ')} was dropped`);
    }
    const isRenamed = [...this.#columns.values()].some((column) => column?.isRenamed !== false);
    return {
      rows: this.#rows,
      columns: this.#named.flatMap((isNamed, at) => (isNamed ? [at] : [])),
      clipped: [...gone, ...this.#clipped],
      faults: { rejected: this.#rejected, rejectedCount: this.#rejectedCount },
      isRespelled: this.#isRespelled || isRenamed,
    };
  }

  #read(index: number): void {
    const row = this.#payload.rows[index] ?? [];
    const values: (ReadValue | undefined)[] = this.#blank.slice();
    if (isRowList(row)) this.#readList(row, index, values);
    else {
      const place = { index, name: '', step: '' };
      for (const name in row) {
        place.name = name;
        place.step = name;
        this.#readMember(place, row[name], values);
      }
    }
    const key = this.#key(values[this.#keyIndex], index);
    const name = keyName(key);
    if (this.#keys.has(name)) throw this.#keyFault('key_repeated', index);
    const known = findRow(this.#parts.lookUp(key), this.#parts.target);
    if (!known || this.#parts.isImport) this.#complete(values, index);
    this.#keys.add(name);
    for (let at = 0; at < values.length; at++) if (values[at] !== undefined) this.#named[at] = true;
    this.#rows.push({ index, key, known, values });
  }

  #readList(row: readonly WireInput[], index: number, values: (ReadValue | undefined)[]): void {
    const names = this.#listed;
    if (row.length > names.length) {
      const message = `${row.length} values for ${names.length} columns`;
      throw new RowFault(message, { code: 'too_many_values', pointer: `/rows/${index}` });
    }
    const place = { index, name: '', step: 0 };
    for (let at = 0; at < row.length; at++) {
      place.name = names[at] ?? '';
      place.step = at;
      this.#readMember(place, row[at], values);
    }
  }

  #readMember(
    place: MemberPlace,
    wire: WireInput | undefined,
    values: (ReadValue | undefined)[],
  ): void {
    if (wire === undefined) return;
    const column = this.#column(place);
    if (!column) return;
    // The journal may have rows of before this was refused: the last one counts.
    if (values[column.index] !== undefined && this.#context.formulaOrigin !== 'journal') {
      throw badValue(column.column, 'the row has two values for it', place);
    }
    values[column.index] = this.#value(column, wire, place);
  }

  #column(place: MemberPlace): ColumnTarget | undefined {
    const { name } = place;
    if (this.#columns.has(name)) return this.#columns.get(name);
    try {
      const column = seekColumn(this.#parts.target, name);
      this.#columns.set(name, column);
      return column;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      throw new Rejection(error.code, error.message, undefined, pointerOf(place));
    }
  }

  #value({ column }: ColumnTarget, wire: WireInput, place: MemberPlace): ReadValue {
    if (column.formula !== undefined) {
      const message = `${column.name} is calculated: leave it out`;
      const pointer = pointerOf(place);
      throw new RowFault(message, { code: 'column_calculated', pointer, column: column.name });
    }
    const read = readColumnValue(wire, column, this.#reading);
    if (typeof read === 'string') throw badValue(column, read, place);
    if (typeof wire === 'string' && wire.length > limits.textLength) {
      throw badValue(column, `a text of ${wire.length} characters does not fit a cell`, place);
    }
    const { input, format } = read;
    if (!isFormulaInput(input))
      return format === undefined ? { input, wire } : { input, format, wire };
    const { sheet } = this.#parts.target;
    const placed = readAt(wire, { raw: false }, sheet.id, this.#context);
    this.#isRespelled ||= placed.moved;
    return { input: placed.input, wire: placed.wire };
  }

  #key(value: ReadValue | undefined, index: number): CodedCell {
    if (value === undefined || value.input === null) {
      throw this.#keyFault('key_blank', index, value === undefined);
    }
    if (isFormulaInput(value.input)) throw this.#keyFault('key_formula', index);
    const { coding, head } = this.#context;
    const key = coding.encode(value.input, corner, head);
    if (isKey(key)) return key;
    throw this.#keyFault('bad_key', index);
  }

  #keyFault(fault: keyof typeof keyFaults, index: number, isAbsent = false): RowFault {
    const { name: column = '' } = this.#parts.target.table.columns[this.#keyIndex] ?? {};
    const pointer = isAbsent ? `/rows/${index}` : `/rows/${index}/${pointerStep(column)}`;
    const code = fault === 'key_formula' ? 'bad_key' : fault;
    return new RowFault(keyFaults[fault](column), { code, pointer, column });
  }

  /** Completes a new row with defaults where nothing was sent. */
  #complete(values: (ReadValue | undefined)[], index: number): void {
    const { table } = this.#parts.target;
    for (const [at, column] of table.columns.entries()) {
      if (values[at] !== undefined || column.formula !== undefined) continue;
      const value = this.#defaults[at];
      if (typeof value === 'string') {
        const pointer = `/rows/${index}`;
        const fault: FaultPlace = { code: 'value_missing', pointer, column: column.name };
        throw new RowFault(`${column.name}: ${value}`, fault);
      }
      if (value !== undefined) values[at] = value;
      else if (this.#parts.isImport) values[at] = { input: null, wire: undefined };
    }
  }
}

/** The topmost row of the table with a key; cells typed over may have left several. */
export function findRow(
  rows: KeyedRows | undefined,
  { sheet, data }: Pick<TableTarget, 'sheet' | 'data'>,
): ReadRow['known'] {
  let found: ReadRow['known'];
  for (let id = rows; id; id = id.others) {
    const position = sheet.rows.positionOf(id.branch, id.sequence, id.offset);
    if (position === undefined || position < data.row0 || position > data.row1) continue;
    if (!found || position < found.position) found = { id, position };
  }
  return found;
}

/** A text says why a new row cannot leave the column out. */
function defaultOf(
  column: StoredColumn,
  reading: { raw: boolean; date1904: boolean },
): ReadValue | undefined | string {
  const wire = column.default;
  if (wire === undefined || wire === null) {
    return column.nullable === false ? 'a new row needs a value here' : undefined;
  }
  const read = readColumnValue(wire, column, reading);
  return typeof read === 'string' ? read : { ...read, wire: undefined };
}

export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The rows as the journal spells them at the head. */
export function respelledRows(
  rows: readonly ReadRow[],
  columns: readonly StoredColumn[],
): TableRow[] {
  return rows.map(({ values }) => {
    const members = values.flatMap((value, at): [string, WireInput][] => {
      const name = columns[at]?.name;
      return value?.wire === undefined || name === undefined ? [] : [[name, value.wire]];
    });
    return Object.fromEntries(members);
  });
}
