import { columnName } from '../../server/model/address.ts';
import { columnCount, parseSheetRange, rangeName, rowCount } from '../../server/model/range.ts';
import { op, type Operation } from '../library/quire.ts';
import type { Lens, Submitted } from '../library/options.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';
import { readInput, type Terminal } from './terminal.ts';
import { fileAt } from './workbooks.ts';

const lenses = ['value', 'formula', 'input', 'formatted'];
const changesShown = 50;

export async function get(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book, ref } = await context.place();
  const range = rangeOf(context.argument(1, 'The range'));
  const lens = context.option('lens') ?? 'value';
  if (!lenses.includes(lens)) {
    throw new Stop(exitCodes.usage, `${lens} is no lens: ${lenses.join(', ')}.`);
  }
  const onProgress = terminal.progress;
  const slice = await book.read(range, { ref, lens: lens as Lens, signal, onProgress });
  if (terminal.isJson) {
    terminal.json(slice);
    return exitCodes.done;
  }
  const rows = slice.rows.map((row) => row.map((value) => textOf(value)));
  if (context.has('csv')) for (const row of rows) terminal.print(row.map(csvField).join(','));
  else if (context.has('tsv') || !terminal.isTerminal) {
    for (const row of rows) terminal.print(row.map(tsvField).join('\t'));
  } else printGrid(terminal, slice.range, rows);
  return exitCodes.done;
}

/** Returns the range if it is one; a wrong range fails before any request. */
export function rangeOf(text: string): string {
  if (parseSheetRange(text)) return text;
  throw new Stop(exitCodes.usage, `${text} is no range: write A1, Plan!B2:C9, A:C or 2:7.`);
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'object')
    return 'error' in value ? String(value.error) : JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function tsvField(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, ' ');
}

/** Prints a grid with letters of columns and numbers of rows. */
function printGrid(terminal: Terminal, range: string, rows: readonly string[][]): void {
  const area = parseSheetRange(range)?.areas[0];
  const { row0 = 0, column0 = 0 } = area ?? {};
  const shown = rows.map((row) => row.map(tsvField));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const names = Array.from({ length: count }, (_, at) => columnName(column0 + at));
  const widths = names.map((name, at) => {
    return Math.max(name.length, ...shown.map((row) => row[at]?.length ?? 0));
  });
  const margin = String(row0 + rows.length).length;
  const line = (row: readonly string[]): string => {
    return widths.map((width, at) => (row[at] ?? '').padEnd(width)).join('  ');
  };
  terminal.print(terminal.paint('dim', `${''.padEnd(margin)}  ${line(names)}`.trimEnd()));
  for (const [at, row] of shown.entries()) {
    const number = terminal.paint('dim', String(row0 + at + 1).padStart(margin));
    terminal.print(`${number}  ${line(row)}`.trimEnd());
  }
}

export async function set(context: Context): Promise<number> {
  const { signal, args } = context;
  const book = await context.head();
  const range = rangeOf(context.argument(1, 'The range'));
  const inputs = args.slice(2);
  if (inputs.length === 0) throw new Stop(exitCodes.usage, 'What is to be written is missing.');
  const rows = inputs[0] === '-' ? tsvRows(await readInput()) : undefined;
  const operation = rows ? blockOf(range, rows) : inputsOf(range, inputs);
  const reading = context.has('raw') ? { raw: true } : { parse: true };
  const payload = { ...operation.payload, ...reading };
  const named = { ...operation, payload } as Operation;
  return tell(context, await book.submit([named], { changes: changesShown, signal }));
}

function tsvRows(bytes: Buffer): string[][] {
  const lines = bytes
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  return lines.map((line) => line.split('\t'));
}

/** Makes the operation that writes rows from the first cell of a range on. */
function blockOf(range: string, rows: string[][]): Operation {
  const { row0 = 0, column0 = 0 } = parseSheetRange(range)?.areas[0] ?? {};
  const width = Math.max(...rows.map((row) => row.length));
  const inputs = rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')]);
  const end = { row1: row0 + rows.length - 1, column1: column0 + width - 1 };
  const sheet = range.includes('!') ? range.slice(0, range.lastIndexOf('!') + 1) : '';
  return op.rangeSet({ range: sheet + rangeName({ row0, column0, ...end }), inputs });
}

/**
 * Makes the operation for inputs of the command line: one for all cells, one for each cell row by
 * row, or a row that begins at a single cell.
 */
function inputsOf(range: string, inputs: readonly string[]): Operation {
  const [input = ''] = inputs;
  const [area] = parseSheetRange(range)?.areas ?? [];
  const size = area ? rowCount(area) * columnCount(area) : 1;
  if (inputs.length === 1) {
    return size === 1
      ? op.cellsSet({ cells: [{ a1: range, input }] })
      : op.rangeFill({ range, input });
  }
  const width = area && size > 1 ? columnCount(area) : inputs.length;
  if (size > 1 && inputs.length !== size) {
    throw new Stop(
      exitCodes.usage,
      `${range} has ${size} cells, and ${inputs.length} inputs came.`,
    );
  }
  const rows = Array.from({ length: inputs.length / width }, (_, at) => {
    return inputs.slice(at * width, (at + 1) * width);
  });
  return blockOf(range, rows);
}

/** Prints the outcome of operations and the cells that changed; returns the exit code. */
export function tell({ terminal }: Context, answer: Submitted): number {
  const rejected = answer.results.filter(({ status }) => status === 'rejected');
  const code = rejected.length > 0 ? exitCodes.refused : exitCodes.done;
  if (terminal.isJson) {
    terminal.json(answer);
    return code;
  }
  for (const [at, { status, error }] of answer.results.entries()) {
    if (status !== 'rejected' || !error) continue;
    terminal.warn(`Operation ${at + 1} was rejected: ${error.message} ${error.hint}`);
  }
  const { changes } = answer;
  if (changes && 'cells' in changes) {
    for (const { sheet, a1, before, after } of changes.cells) {
      terminal.print(`${sheet}!${a1}: ${textOf(before)} → ${textOf(after)}`);
    }
    if (changes.truncated) terminal.note(`… and ${changes.total - changes.cells.length} more`);
  }
  terminal.note(`${answer.status}, now at ${answer.ref}`);
  return code;
}

export async function submit(context: Context): Promise<number> {
  const { signal } = context;
  const book = await context.head();
  const from = context.args[1] ?? '-';
  const bytes = await (from === '-' ? readInput() : fileAt(from));
  const ops = operationsIn(bytes.toString('utf8'), from === '-' ? 'Standard input' : from);
  return tell(context, await book.submit(ops, { changes: changesShown, signal }));
}

/**
 * Reads operations from JSON: a list, a submission with `ops`, one operation, or one operation a
 * line.
 */
function operationsIn(text: string, from: string): Operation[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value as Operation[];
    const { ops } = value as { ops?: Operation[] };
    return ops ?? [value as Operation];
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line, at) => operationIn(line, `${from}, line ${at + 1},`));
  }
}

function operationIn(line: string, where: string): Operation {
  try {
    return JSON.parse(line) as Operation;
  } catch (error) {
    throw new Stop(exitCodes.usage, `${where} is no operation: ${(error as Error).message}`);
  }
}
