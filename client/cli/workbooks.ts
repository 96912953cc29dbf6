import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import process from 'node:process';

import type { NewWorkbook } from '../library/quire.ts';
import type { Context } from './context.ts';
import { exitCodes, notWritten, Stop } from './stop.ts';
import { readInput } from './terminal.ts';

export async function list(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const quire = context.quire();
  for await (const book of quire.workbooks({ archived: context.has('archived'), signal })) {
    if (terminal.isJson) terminal.json(book);
    else {
      const mark = book.archived ? terminal.paint('dim', ' archived') : '';
      terminal.print(`${book.id}  ${book.namespace}/${book.name}${mark}`);
    }
  }
  return exitCodes.done;
}

export async function create(context: Context): Promise<number> {
  const { terminal, signal, args } = context;
  const from = context.option('from');
  const name = args[0];
  if (from !== undefined) return importFile(context, from, name);
  const made = await context.quire().create(name === undefined ? {} : { name }, { signal });
  if (terminal.isJson) terminal.json(await made.info({ signal }));
  else terminal.print(made.id);
  return exitCodes.done;
}

async function importFile(
  context: Context,
  from: string,
  name: string | undefined,
): Promise<number> {
  const { terminal, signal } = context;
  const quire = context.quire();
  const bytes = await (from === '-' ? readInput() : fileAt(from));
  const ending = extname(from).slice(1).toLowerCase() || endingOf(bytes);
  if (ending === 'json') {
    const made = await quire.create(workbookIn(bytes, name, from), { signal });
    if (terminal.isJson) terminal.json(await made.info({ signal }));
    else terminal.print(made.id);
    return exitCodes.done;
  }
  const called = name ?? (from === '-' ? undefined : basename(from, extname(from)));
  const options = { ending, signal, ...(called !== undefined && { name: called }) };
  const { created, id } = await quire.importFile(bytes, options);
  for (const { what, where = '', count, why } of created.dropped) {
    terminal.note(`Left out: ${count} ${what} ${where} (${why})`);
  }
  if (terminal.isJson) terminal.json(created);
  else terminal.print(id);
  return exitCodes.done;
}

/**
 * Returns the file ending for bytes from standard input: archives begin with PK, JSON with a brace.
 */
function endingOf(bytes: Buffer): string {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return 'xlsx';
  return /^\s*[{[]/.test(bytes.subarray(0, 64).toString('utf8')) ? 'json' : 'csv';
}

/** Returns the body for a new workbook: the JSON in the file, or rows of CSV. */
function workbookIn(bytes: Buffer, name: string | undefined, from: string): NewWorkbook {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Stop(exitCodes.usage, `${from} is no JSON: ${(error as Error).message}`);
  }
  if (isExport(value)) {
    throw new Stop(
      exitCodes.usage,
      `${from} is an export, which names cells one by one. Export the workbook as .xlsx, or write {"sheets": [{"name", "rows": [[…], …]}]} or rows alone: [[…], …].`,
    );
  }
  const given = Array.isArray(value) ? { sheets: [{ name: 'Sheet1', rows: value }] } : value;
  return { ...(given as NewWorkbook), ...(name !== undefined && { name }) };
}

/** Returns whether a value is an export of Quire as JSON. */
function isExport(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'workbook' in value && 'ref' in value;
}

export async function fileAt(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Stop(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
}

const formats = ['xlsx', 'csv', 'ndjson', 'json'] as const;

export async function exportFile(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book, ref } = await context.place();
  const to = context.option('output');
  const wanted = context.option('format') ?? (to === undefined ? 'csv' : extname(to).slice(1));
  const format = formats.find((one) => one === wanted);
  if (format === undefined) {
    const what =
      wanted === ''
        ? `The name ${to ?? ''} has no ending that names a format`
        : `${wanted} is no format`;
    throw new Stop(exitCodes.usage, `${what}: ${formats.join(', ')}.`);
  }
  if (ref !== book.branch) {
    throw new Stop(exitCodes.usage, 'Only the head of a branch is exported: name a branch.');
  }
  const sheet = context.option('sheet');
  const onProgress = terminal.progress;
  const options = { signal, onProgress, ...(sheet !== undefined && { sheet }) };
  const bytes = await book.export(format, options);
  if (to === undefined || to === '-') {
    process.stdout.write(bytes);
    return exitCodes.done;
  }
  await writeFile(to, bytes).catch((error: unknown) => {
    throw notWritten(to, error);
  });
  if (terminal.isJson) terminal.json({ file: to, bytes: bytes.length, format });
  else terminal.note(`${to}: ${bytes.length} bytes`);
  return exitCodes.done;
}

export async function archive(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book } = await context.place();
  const answer = await book.archive({ signal });
  if (terminal.isJson) terminal.json(answer);
  else terminal.print(`${book.id} is archived. \`quire restore ${book.id}\` brings it back.`);
  return exitCodes.done;
}

export async function restore(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book } = await context.place();
  const answer = await book.restore({ signal });
  if (terminal.isJson) terminal.json(answer);
  else terminal.print(`${book.id} is back.`);
  return exitCodes.done;
}

/**
 * Purges a workbook for good. It is archived first, and a person has to type its id, or give `-y`.
 */
export async function purge(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book } = await context.place();
  if (!context.has('yes')) {
    if (!terminal.isInteractive) {
      throw new Stop(exitCodes.usage, 'A purge cannot be taken back: say so with -y.');
    }
    const typed = await terminal.ask(`This deletes ${book.id} for ever. Type its id: `);
    if (typed !== book.id) throw new Stop(exitCodes.failed, 'Nothing was deleted.');
  }
  const archived = await book.archive({ signal });
  const confirm = 'confirm' in archived ? archived.confirm : '';
  const answer = await context.quire().call('DELETE', '/v1/workbooks/{id}', {
    signal,
    path: { id: book.id },
    query: { purge: 'true', confirm },
  });
  if (terminal.isJson) terminal.json(answer);
  else terminal.print(`${book.id} is gone.`);
  return exitCodes.done;
}
