import { foldName } from '../../model/names.ts';
import type { WireInput } from '../../model/input.ts';
import type { Operation } from '../../model/operation.ts';
import type { KeyBatch, RowBatch, RowsOptions, RowsPart } from '../../model/row-writes.ts';
import { isRowList, type TableRow } from '../../model/payload-tables.ts';
import type { ColumnDefinition } from '../../model/table-column.ts';

/** How the operations of a request are spelled. */
export interface Spelling {
  /** Id or name of the table. */
  readonly table: string;
  readonly options: RowsOptions;
}

export function isKeyBatch(part: RowsPart): part is KeyBatch {
  return 'keys' in part;
}

/** The place in what was sent of a row, or a key, of a part. */
export function placeIn(part: RowsPart, at: number): number {
  return (isKeyBatch(part) ? undefined : part.places?.[at]) ?? part.index + at;
}

/** Bytes of a part, about as JSON has them: so much of the queue of its branch it takes. */
export function bytesOf(part: RowsPart): number {
  let byteCount = 0;
  if (isKeyBatch(part)) {
    for (const key of part.keys) byteCount += valueBytes(key);
    return byteCount;
  }
  for (const row of part.rows) {
    if (isRowList(row)) for (const value of row) byteCount += valueBytes(value);
    else for (const name in row) byteCount += name.length + 3 + valueBytes(row[name]);
  }
  return byteCount;
}

const plainValueBytes = 8;

function valueBytes(value: unknown): number {
  return typeof value === 'string' ? value.length + 3 : plainValueBytes;
}

/** One operation for a part. */
export function operationOf(
  kind: 'rows.upsert' | 'rows.import',
  { columns: own, rows }: RowBatch,
  { table, options: { columns: asked, raw, onInvalid } }: Spelling,
): Operation {
  const columns = own ?? asked;
  return {
    kind,
    payload: {
      table,
      rows,
      ...(columns !== undefined && { columns: [...columns] }),
      ...(raw !== undefined && { raw }),
      ...(onInvalid !== undefined && { onInvalid }),
    },
  };
}

export function deletionOf(
  keys: readonly (string | number)[],
  { table, options: { onMissing } }: Spelling,
): Operation {
  const payload = { table, keys: [...keys], ...(onMissing !== undefined && { onMissing }) };
  return { kind: 'rows.delete', payload };
}

const rowsBetweenPauses = 256;

/** The rows with a value for each column, as an import has them: what was not sent is as in a new row. */
export function* completed(
  batch: RowBatch,
  options: RowsOptions,
  table: readonly ColumnDefinition[],
): Generator<void, RowBatch> {
  const { columns: own, rows } = batch;
  const columns = table.filter(({ formula }) => formula === undefined);
  const names = columns.map(({ name }) => name);
  const listed = own ?? options.columns ?? table.map(({ name }) => name);
  const places = placesOf(listed, names);
  // A name that the table has not, or a row twice, is told by the operation: such rows stay as they are.
  if (places === undefined) return batch;
  const fresh = columns.map((column): WireInput => column.default ?? null);
  const filled: TableRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % rowsBetweenPauses === 0) yield;
    const values = isRowList(row)
      ? filledList(row, places, fresh)
      : filledObject(row, names, fresh);
    if (values === undefined) return batch;
    filled.push(values);
  }
  return { ...batch, columns: names, rows: filled };
}

function filledList(
  row: readonly WireInput[],
  places: readonly number[],
  fresh: readonly WireInput[],
): WireInput[] | undefined {
  if (row.length > places.length) return undefined;
  const values = [...fresh];
  for (const [at, value] of row.entries()) values[places[at] ?? 0] = value;
  return values;
}

function filledObject(
  row: Readonly<Record<string, WireInput>>,
  names: readonly string[],
  fresh: readonly WireInput[],
): WireInput[] | undefined {
  const written = Object.keys(row);
  const places = placesOf(written, names);
  if (places === undefined) return undefined;
  const values = [...fresh];
  for (const [at, name] of written.entries()) values[places[at] ?? 0] = row[name] ?? null;
  return values;
}

/** The place of each among the names; undefined where one is not there, or is there twice. */
function placesOf(written: readonly string[], names: readonly string[]): number[] | undefined {
  const known = new Map(names.map((name, at) => [foldName(name), at]));
  const places = written.map((name) => known.get(foldName(name)));
  if (new Set(places).size < places.length) return undefined;
  return places.every((place) => place !== undefined) ? places : undefined;
}

/** A pointer into the payload of a part as one into what was sent. */
export function pointerInto(part: RowsPart, within: string): string {
  const [, list = '', item, step] = /^\/(rows|keys)\/(\d+)(?:\/(.*))?$/su.exec(within) ?? [];
  if (item === undefined) return within;
  const at = `/${list}/${placeIn(part, Number(item))}`;
  if (step === undefined) return at;
  const name = isKeyBatch(part) ? undefined : part.columns?.[Number(step)];
  return `${at}/${name === undefined ? step : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
