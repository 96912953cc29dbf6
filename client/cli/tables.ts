import { op, type Operation, type Workbook } from '../library/quire.ts';
import type { Lens, RowsWishes } from '../library/options.ts';
import { tell, textOf, tsvField } from './cells.ts';
import type { Context } from './context.ts';
import { countOf } from './history.ts';
import { exitCodes, Stop } from './stop.ts';
import { questionOptions } from './table-options.ts';
import { readInput } from './terminal.ts';
import { fileAt } from './workbooks.ts';

/** Lists tables, prints one, writes rows to it, or prints its changes. */
export async function table(context: Context): Promise<number> {
  const { terminal, signal, args } = context;
  const { book, ref } = await context.place();
  const name = args[1];
  const { tables } = await book.state({ ref, signal });
  if (name === undefined) {
    for (const one of tables) {
      if (terminal.isJson) terminal.json(one);
      else terminal.print(`${one.name}  ${one.range}  key ${one.keyColumn ?? '(none)'}`);
    }
    return exitCodes.done;
  }
  const found = tables.find(({ id, name: own }) => id === name || own === name);
  if (!found) throw new Stop(exitCodes.notFound, `There is no table ${name} at ${ref}.`);
  const [, , doing] = args;
  if (doing !== undefined) refuseQuestion(context, doing);
  if (doing === 'changes') return changes(context, book, found.id);
  if (doing !== undefined) return write(context, found.name);
  return printRows(context, book.rows(found.id, wishesOf(context), { ref, signal }));
}

const pageMost = 10_000;

/** Prints rows, or groups of them, under the names of their columns. */
async function printRows(context: Context, found: ReturnType<Workbook['rows']>): Promise<number> {
  const { terminal } = context;
  let left = context.option('number') === undefined ? Infinity : countOf(context, 'number', 1);
  let isFirst = true;
  for await (const page of found.pages()) {
    const items = ('groups' in page ? page.groups : page.rows) as Record<string, unknown>[];
    // Names that are numbers would be sorted first in an object.
    const others = Object.keys(items[0] ?? {}).filter((name) => !page.columns.includes(name));
    const names = [...page.columns, ...others];
    const line = (values: readonly unknown[]) => {
      terminal.print(values.map((value) => tsvField(textOf(value))).join('\t'));
    };
    if (isFirst && !terminal.isJson) line(names);
    isFirst = false;
    for (const item of items.slice(0, left)) {
      if (terminal.isJson) terminal.json(item);
      else line(names.map((name) => item[name]));
    }
    left -= items.length;
    if (left <= 0) break;
  }
  return exitCodes.done;
}

function wishesOf(context: Context): RowsWishes {
  const { number: _, count: __, where: ___, lens: ____, ...lists } = questionOptions;
  const named = Object.keys(lists).flatMap((name) => {
    const given = context.options(name);
    return given.length > 0 ? [[name, given]] : [];
  });
  const asked = context.option('number');
  const limit = asked === undefined ? {} : { limit: Math.min(Number(asked), pageMost) };
  const where = context.option('where');
  const lens = context.option('lens') as Lens | undefined;
  return {
    ...(Object.fromEntries(named) as RowsWishes),
    ...(where !== undefined && { where }),
    ...(lens !== undefined && { lens }),
    ...(context.has('count') && { count: [''] }),
    ...limit,
  };
}

/** Refuses options of a query where no rows are printed, so that none is ignored. */
function refuseQuestion(context: Context, doing: string): void {
  const said = Object.keys(questionOptions).find((name) => context.says(name));
  if (said === undefined) return;
  throw new Stop(exitCodes.usage, `--${said} is for rows that are printed, and not for ${doing}.`);
}

async function write(context: Context, name: string): Promise<number> {
  const book = await context.head();
  const from = context.args[3] ?? '-';
  const bytes = await (from === '-' ? readInput() : fileAt(from));
  const operation = operationOf(context.args[2] ?? '', name, rowsIn(bytes, from));
  return tell(context, await book.submit([operation], { changes: 50, signal: context.signal }));
}

function operationOf(mode: string, name: string, rows: Record<string, unknown>[]): Operation {
  if (mode === 'import') return op.rowsImport({ table: name, rows });
  if (mode === 'upsert') return op.rowsUpsert({ table: name, rows });
  if (mode === 'delete') {
    const keys: unknown = rows;
    return op.rowsDelete({ table: name, keys } as Parameters<typeof op.rowsDelete>[0]);
  }
  throw new Stop(exitCodes.usage, `${mode} is none of import, upsert, delete, changes.`);
}

function rowsIn(bytes: Buffer, from: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (Array.isArray(value)) return value as Record<string, unknown>[];
  } catch (error) {
    throw new Stop(exitCodes.usage, `${from} is no JSON: ${(error as Error).message}`);
  }
  throw new Stop(exitCodes.usage, `${from} is no list: rows are objects, and keys are values.`);
}

async function changes(context: Context, book: Workbook, id: string): Promise<number> {
  const { terminal } = context;
  const from = context.option('from');
  if (from === undefined) throw new Stop(exitCodes.usage, 'Say --from <position>.');
  for await (const one of book.tableChanges(id, from)) {
    if (terminal.isJson) terminal.json(one);
    else {
      const mark = { added: '+', modified: '→', removed: '-' }[one.change];
      terminal.print(`${mark} ${textOf(one.key)}  ${one.columns.join(', ')}`);
    }
  }
  return exitCodes.done;
}
