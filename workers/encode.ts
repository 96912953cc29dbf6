import {
  AXIS_COLUMNS,
  AXIS_ROWS,
  COMMAND_BLOCK,
  COMMAND_CELL,
  COMMAND_FILL,
  COMMAND_MERGES,
  COMMAND_NAME_DELETE,
  COMMAND_NAME_SET,
  COMMAND_REMAP,
  COMMAND_ROWS_HIDDEN,
  COMMAND_SETTING,
  COMMAND_SHEET_ADD,
  COMMAND_SHEET_DELETE,
  COMMAND_SHEET_MOVE,
  COMMAND_SHEET_RENAME,
  COMMAND_TABLE_SET,
  INPUT_BLANK,
  INPUT_BOOLEAN,
  INPUT_ERROR,
  INPUT_FORMULA,
  INPUT_FORMULA_ARRAY,
  INPUT_FORMULA_LEGACY,
  INPUT_NUMBER,
  INPUT_SKIP,
  INPUT_STRING,
  REMAP_DELETE,
  REMAP_DELETE_SPANS,
  REMAP_INSERT,
  REMAP_MOVE,
  ROWS_HIDDEN_BY_FILTER,
  ROWS_HIDDEN_BY_HAND,
  ROWS_SHOWN,
  SETTING_DATE_1904,
  SETTING_ITERATE,
  SETTING_ITERATIONS,
  SETTING_ITERATION_CHANGE,
} from '../assembly/abi.ts';
import { errorCodes, type FormulaInput, type Input } from '../server/model/cell-value.ts';
import type { Mutation } from '../server/model/mutation.ts';
import { parseRange } from '../server/model/range.ts';
import { CommandWriter } from './command-writer.ts';

/** Approximate bytes of one `apply` call; a single row or text may exceed them. */
export const commandChunkBytes = 1 << 20;

type MutationOf<Kind extends Mutation['kind']> = Extract<Mutation, { kind: Kind }>;

/** A writer that one long row made larger than this is not kept. */
const spareBytesMost = 4 * commandChunkBytes;
/**
 * Writer that the thread keeps. If no writer were alive, a garbage collection would drop the
 * optimised code for them, and the next block would be encoded ten times more slowly.
 */
let spare: CommandWriter | undefined = new CommandWriter();

/**
 * Yields the mutations as command buffers of about one chunk. Each is valid until the next one:
 * whoever keeps or posts it makes a copy.
 */
export function* encodeMutations(
  mutations: Iterable<Mutation>,
  chunkBytes = commandChunkBytes,
): Generator<Uint8Array> {
  const writer = spare ?? new CommandWriter();
  spare = undefined;
  try {
    yield* encodeWith(writer, mutations, chunkBytes);
  } finally {
    writer.reset();
    if (writer.capacityBytes <= spareBytesMost) spare = writer;
  }
}

function* encodeWith(
  writer: CommandWriter,
  mutations: Iterable<Mutation>,
  chunkBytes: number,
): Generator<Uint8Array> {
  for (const mutation of joinedDeletions(mutations)) {
    if (mutation.kind === 'deletions') encodeDeletions(writer, mutation.spans);
    else if (mutation.kind === 'block') yield* encodeBlock(writer, mutation, chunkBytes);
    else encodeMutation(writer, mutation);
    if (writer.byteCount < chunkBytes) continue;
    yield writer.bytes();
    writer.reset();
  }
  if (writer.byteCount > 0) yield writer.bytes();
}

/** Deletions on one axis of one sheet, each wholly before the one that it follows. */
interface Deletions {
  readonly kind: 'deletions';
  readonly spans: readonly Deletion[];
}

type Deletion = MutationOf<'insert' | 'delete'>;

/**
 * Joins deletions that run from the last to the first. As single commands each would move all cells
 * below it, as one command they move once.
 */
function* joinedDeletions(mutations: Iterable<Mutation>): Generator<Mutation | Deletions> {
  let spans: Deletion[] = [];
  for (const mutation of mutations) {
    const last = spans.at(-1);
    if (mutation.kind === 'delete' && (!last || goesOn(last, mutation))) {
      spans.push(mutation);
      continue;
    }
    yield* joined(spans);
    spans = mutation.kind === 'delete' ? [mutation] : [];
    if (mutation.kind !== 'delete') yield mutation;
  }
  yield* joined(spans);
}

function goesOn(last: Deletion, { sheet, axis, from, count }: Deletion): boolean {
  return last.sheet === sheet && last.axis === axis && from + count <= last.from;
}

function joined(spans: readonly Deletion[]): readonly (Mutation | Deletions)[] {
  return spans.length > 1 ? [{ kind: 'deletions', spans }] : spans;
}

function encodeDeletions(writer: CommandWriter, spans: readonly Deletion[]): void {
  const [first] = spans;
  if (!first) return;
  writer.word(COMMAND_REMAP);
  writer.word(first.axis === 'row' ? AXIS_ROWS : AXIS_COLUMNS);
  writer.word(first.sheet);
  writer.word(REMAP_DELETE_SPANS);
  writer.word(spans.length);
  for (const { from, count } of spans.toReversed()) {
    writer.word(from);
    writer.word(count);
  }
}

/** Splits a block between rows, so that a large one becomes several commands of bounded size. */
function* encodeBlock(
  writer: CommandWriter,
  block: MutationOf<'block'>,
  chunkBytes: number,
): Generator<Uint8Array> {
  const { inputs } = block;
  let columnCount = 0;
  for (const row of inputs) columnCount = Math.max(columnCount, row.length);
  let from = 0;
  while (from < inputs.length) {
    let end = from;
    writer.word(COMMAND_BLOCK);
    writer.word(block.sheet);
    writer.word(block.row + from);
    writer.word(block.column);
    const rowCountAt = writer.position;
    writer.word(0);
    writer.word(columnCount);
    while (end < inputs.length && (end === from || writer.byteCount < chunkBytes)) {
      encodeRow(writer, inputs[end++] ?? [], columnCount);
    }
    writer.patch(rowCountAt, end - from);
    from = end;
    if (from === inputs.length) return;
    yield writer.bytes();
    writer.reset();
  }
}

function encodeRow(
  writer: CommandWriter,
  row: readonly (Input | undefined)[],
  columnCount: number,
): void {
  for (let column = 0; column < columnCount; column++) {
    const input = row[column];
    if (input === undefined) writer.word(INPUT_SKIP);
    else encodeInput(writer, input);
  }
}

function encodeMutation(
  writer: CommandWriter,
  mutation: Exclude<Mutation, MutationOf<'block'>>,
): void {
  switch (mutation.kind) {
    case 'cell':
      encodePlace(writer, COMMAND_CELL, mutation);
      return encodeInput(writer, mutation.input);
    case 'column':
      encodePlace(writer, COMMAND_BLOCK, mutation);
      writer.word(mutation.inputs.length);
      writer.word(1);
      for (const input of mutation.inputs) encodeInput(writer, input);
      return;
    case 'fill':
      encodePlace(writer, COMMAND_FILL, mutation);
      writer.word(mutation.rowCount);
      writer.word(mutation.columnCount);
      return encodeInput(writer, mutation.input);
    case 'insert':
    case 'delete':
    case 'move':
      return encodeRemap(writer, mutation);
    case 'rowsHidden':
      return encodeVisibility(writer, mutation);
    case 'merges':
      return encodeMerges(writer, mutation);
    case 'setting':
      writer.word(COMMAND_SETTING);
      writer.word(settings[mutation.name]);
      return writer.number(Number(mutation.value));
    case 'tableSet':
      return encodeTable(writer, mutation);
    default:
      return encodeNamed(writer, mutation);
  }
}

function encodePlace(
  writer: CommandWriter,
  command: number,
  { sheet, row, column }: { sheet: number; row: number; column: number },
): void {
  writer.word(command);
  writer.word(sheet);
  writer.word(row);
  writer.word(column);
}

function encodeInput(writer: CommandWriter, input: Input): void {
  switch (typeof input) {
    case 'number':
      writer.word(INPUT_NUMBER);
      return writer.number(input);
    case 'string':
      writer.word(INPUT_STRING);
      return writer.text(input);
    case 'boolean':
      writer.word(INPUT_BOOLEAN);
      return writer.word(Number(input));
    default:
      if (input === null) return writer.word(INPUT_BLANK);
      if ('formula' in input) return encodeFormula(writer, input);
      writer.word(INPUT_ERROR);
      return writer.word(errorCodes.indexOf(input.error));
  }
}

function encodeFormula(writer: CommandWriter, { formula, array, legacy }: FormulaInput): void {
  const range = array === undefined ? undefined : parseRange(array);
  if (range === undefined) {
    writer.word(legacy === true ? INPUT_FORMULA_LEGACY : INPUT_FORMULA);
    return writer.text(formula);
  }
  writer.word(INPUT_FORMULA_ARRAY);
  writer.text(formula);
  writer.word(range.row0);
  writer.word(range.column0);
  writer.word(range.row1);
  writer.word(range.column1);
}

const settings = {
  date1904: SETTING_DATE_1904,
  iterate: SETTING_ITERATE,
  iterations: SETTING_ITERATIONS,
  iterationChange: SETTING_ITERATION_CHANGE,
} as const;

const remaps = { insert: REMAP_INSERT, delete: REMAP_DELETE, move: REMAP_MOVE } as const;

function encodeRemap(
  writer: CommandWriter,
  mutation: MutationOf<'insert' | 'delete' | 'move'>,
): void {
  const { kind, axis, sheet, from, count } = mutation;
  writer.word(COMMAND_REMAP);
  writer.word(axis === 'row' ? AXIS_ROWS : AXIS_COLUMNS);
  writer.word(sheet);
  writer.word(remaps[kind]);
  writer.word(from);
  writer.word(count);
  writer.word(mutation.kind === 'move' ? mutation.before : 0);
}

const visibilities = {
  no: ROWS_SHOWN,
  hand: ROWS_HIDDEN_BY_HAND,
  filter: ROWS_HIDDEN_BY_FILTER,
} as const;

function encodeVisibility(
  writer: CommandWriter,
  { sheet, from, count, hidden }: MutationOf<'rowsHidden'>,
): void {
  writer.word(COMMAND_ROWS_HIDDEN);
  writer.word(sheet);
  writer.word(from);
  writer.word(count);
  writer.word(visibilities[hidden]);
}

/** Encodes the merged areas of a sheet. */
function encodeMerges(
  writer: CommandWriter,
  { sheet, removed, added }: MutationOf<'merges'>,
): void {
  writer.word(COMMAND_MERGES);
  writer.word(sheet);
  for (const areas of [removed, added]) {
    writer.word(areas.length);
    for (const { row0, column0, row1, column1 } of areas) {
      for (const number of [row0, column0, row1, column1]) writer.word(number);
    }
  }
}

const workbookScope = 0;

/** Encodes mutations of sheets and defined names. */
function encodeNamed(
  writer: CommandWriter,
  mutation: MutationOf<
    'sheetAdd' | 'sheetDelete' | 'sheetRename' | 'sheetMove' | 'nameSet' | 'nameDelete'
  >,
): void {
  switch (mutation.kind) {
    case 'sheetAdd':
      writer.word(COMMAND_SHEET_ADD);
      writer.word(mutation.sheet);
      writer.word(mutation.index);
      return writer.text(mutation.name);
    case 'sheetDelete':
      writer.word(COMMAND_SHEET_DELETE);
      return writer.word(mutation.sheet);
    case 'sheetRename':
      writer.word(COMMAND_SHEET_RENAME);
      writer.word(mutation.sheet);
      return writer.text(mutation.name);
    case 'sheetMove':
      writer.word(COMMAND_SHEET_MOVE);
      writer.word(mutation.sheet);
      return writer.word(mutation.index);
    case 'nameSet':
      writer.word(COMMAND_NAME_SET);
      writer.word(mutation.scope ?? workbookScope);
      writer.text(mutation.name);
      return writer.text(mutation.formula);
    case 'nameDelete':
      writer.word(COMMAND_NAME_DELETE);
      writer.word(mutation.scope ?? workbookScope);
      return writer.text(mutation.name);
  }
}

const headerRowFlag = 1;
const totalsRowFlag = 2;

function encodeTable(writer: CommandWriter, table: MutationOf<'tableSet'>): void {
  writer.word(COMMAND_TABLE_SET);
  writer.text(table.name);
  writer.word(table.sheet);
  writer.word(table.row);
  writer.word(table.column);
  writer.word(table.rowCount);
  writer.word(table.columnCount);
  writer.word((table.headerRow ? headerRowFlag : 0) | (table.totalsRow ? totalsRowFlag : 0));
  for (const name of table.columns) writer.text(name);
}
