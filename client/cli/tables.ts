import { op, type Operation, type Workbook } from '../library/quire.ts';
import { tell, textOf } from './cells.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';
import { readInput } from './terminal.ts';
import { fileAt } from './workbooks.ts';

/** Lists tables, prints one, writes rows to it, or says what changed in it. */
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
  if (args[2] === 'changes') return changes(context, book, found.id);
  if (args[2] !== undefined) return write(context, found.name);
  const range = found.range.includes('!') ? found.range : `'${found.sheet}'!${found.range}`;
  const { rows } = await book.read(range, { ref, signal });
  for (const row of rows) {
    if (terminal.isJson) terminal.json(row);
    else terminal.print(row.map(textOf).join('\t'));
  }
  return exitCodes.done;
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
