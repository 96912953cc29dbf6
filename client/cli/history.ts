import process from 'node:process';

import type { Context } from './context.ts';
import { textOf, tell } from './cells.ts';
import type { JournalItem } from '../library/options.ts';
import { exitCodes, Stop } from './stop.ts';
import type { Terminal } from './terminal.ts';

const logUsually = 20;
const pageMost = 1_000;

export async function log(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book, ref } = await context.place();
  const cell = context.option('cell');
  if (cell !== undefined) {
    for await (const one of book.blame(cell, { ref, signal })) {
      if (terminal.isJson) terminal.json(one);
      else {
        const at = `${one.branch ?? '(deleted)'}@${one.seq}`;
        terminal.print(`${one.cell}  ${at}  ${one.by} (${one.writer})  ${one.at}`);
      }
    }
    return exitCodes.done;
  }
  const count = countOf(context, 'number', logUsually);
  const seq = /@(\d+)$/.exec(ref)?.[1];
  const from = seq === undefined ? {} : { before: Number(seq) + 1 };
  const wishes = { ...from, limit: Math.min(count, pageMost), payload: terminal.isJson, signal };
  let left = count;
  for await (const one of book.history(wishes)) {
    if (terminal.isJson) terminal.json(one);
    else printOperation(terminal, book.branch, one);
    if (--left === 0) break;
  }
  return exitCodes.done;
}

function printOperation(terminal: Terminal, name: string, one: JournalItem): void {
  const place = terminal.paint('yellow', `${name}@${one.seq}`);
  const { cells = 0 } = one.count ?? {};
  const size = cells > 0 ? `, ${cells} ${cells === 1 ? 'cell' : 'cells'}` : '';
  terminal.print(`${place}  ${one.at}  ${one.by} (${one.writer})  ${one.kind}${size}`);
}

/** Returns the number that an option gives, at least 1, or the default. */
export function countOf(context: Context, name: string, usually: number): number {
  const count = Number(context.option(name) ?? usually);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Stop(exitCodes.usage, `--${name} takes a number of at least 1.`);
}

export async function branch(context: Context): Promise<number> {
  const { terminal, signal, args } = context;
  const { book, ref } = await context.place();
  const name = args[1];
  if (name === undefined) {
    for await (const one of book.branches({ signal })) {
      if (terminal.isJson) terminal.json(one);
      else terminal.print(`${one.name}@${one.head}`);
    }
    return exitCodes.done;
  }
  if (context.has('delete')) {
    const answer = await book.deleteBranch(name, { signal });
    if (terminal.isJson) terminal.json(answer);
    else terminal.print(`${name} is deleted.`);
    return exitCodes.done;
  }
  const made = await book.fork(name, { from: context.option('from') ?? ref, signal });
  if (terminal.isJson) terminal.json(await made.state({ signal }));
  else terminal.print(`${name} begins at ${context.option('from') ?? ref}.`);
  return exitCodes.done;
}

export async function commit(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const book = await context.head();
  const tag = context.option('tag');
  const options = { signal, ...(tag !== undefined && { tag }) };
  const answer = await book.commit(context.option('message') ?? '', options);
  if (terminal.isJson) terminal.json(answer);
  else terminal.print(tag === undefined ? answer.ref : `${answer.ref} is commit:${tag}`);
  return exitCodes.done;
}

export async function checkpoint(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const book = await context.head();
  const answer = await book.checkpoint({ signal });
  if (terminal.isJson) terminal.json(answer);
  else terminal.print(`The state of ${book.branch} is stored.`);
  return exitCodes.done;
}

/** Takes back an operation by its number, or a group by its name. */
export async function undo(context: Context): Promise<number> {
  const book = await context.head();
  const text = context.argument(1, 'The sequence number or the group');
  const of = /^\d+$/.test(text) ? Number(text) : text;
  const { op } = await import('../library/operations.ts');
  return tell(
    context,
    await book.submit([op.undo({ of })], { changes: 50, signal: context.signal }),
  );
}

const statNames: Readonly<Record<string, string>> = {
  cellsAdded: 'cells added',
  cellsModified: 'cells modified',
  cellsRemoved: 'cells removed',
  rowsInserted: 'rows inserted',
  rowsDeleted: 'rows deleted',
  rowsMoved: 'rows moved',
  colsInserted: 'columns inserted',
  colsDeleted: 'columns deleted',
  colsMoved: 'columns moved',
  sheets: 'sheets',
  formats: 'formats',
  names: 'names',
  tables: 'tables',
  records: 'records',
  properties: 'properties',
  settings: 'settings',
  values: 'values',
};

export async function diff(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book, ref } = await context.place();
  const from = context.argument(1, 'The position to compare with');
  const to = context.args[2] ?? ref;
  const sheet = context.option('sheet');
  const values = context.has('values');
  const form = (['patch', 'csv'] as const).find((name) => context.has(name));
  if (form !== undefined) {
    const response = await book.diffText(from, to, form, { signal });
    process.stdout.write(response);
    return exitCodes.done;
  }
  const pages = book.diff(from, to, { values, signal, ...(sheet !== undefined && { sheet }) });
  let count = 0;
  if (context.has('stat')) {
    const { summary, total } = await pages.page();
    count = total;
    if (terminal.isJson) terminal.json(summary);
    else printStat(terminal, summary);
  } else {
    for await (const entry of pages) {
      count++;
      if (terminal.isJson) terminal.json(entry);
      else terminal.print(entryText(terminal, entry));
    }
  }
  return context.has('exit-code') && count > 0 ? exitCodes.differs : exitCodes.done;
}

function printStat(terminal: Terminal, summary: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(summary)) {
    const words = statNames[name];
    if (count > 0 && words !== undefined) terminal.print(`${String(count).padStart(8)} ${words}`);
  }
}

type Entry = Readonly<Record<string, unknown>> & { readonly list: string };

/** Returns the line of a change: `+` added, `-` removed, `→` changed, `↕` moved. */
export function entryText(terminal: Terminal, entry: Entry): string {
  const { list, sheet = '' } = entry;
  const place = `${textOf(sheet)}${placeOf(entry)}`;
  if (list === 'cells' || list === 'collapsed' || list === 'values') {
    const before = contentOf(entry['before']);
    const after = contentOf(entry['after']);
    if (entry['change'] === 'added') return terminal.paint('green', `+ ${place}  ${after}`);
    if (entry['change'] === 'removed') return terminal.paint('red', `- ${place}  ${before}`);
    const mark = list === 'values' ? '≈' : '→';
    return terminal.paint(
      list === 'values' ? 'dim' : 'yellow',
      `${mark} ${place}  ${before} → ${after}`,
    );
  }
  const { list: _, sheet: __, ...rest } = entry;
  const change = textOf(entry['change'] ?? entry['kind']);
  const mark = /delete|remove/.test(change) ? '-' : /move/.test(change) ? '↕' : '+';
  return `${mark} ${list}  ${textOf(sheet)}  ${JSON.stringify(rest)}`;
}

function placeOf(entry: Entry): string {
  const a1 = entry['a1'] as { from?: string | null; to?: string | null } | string | undefined;
  if (typeof a1 === 'string') return `!${a1}`;
  if (a1 !== undefined) return `!${a1.to ?? a1.from ?? ''}`;
  return entry['range'] === undefined ? '' : `!${textOf(entry['range'])}`;
}

/** Returns the content of a cell as it was entered. */
function contentOf(side: unknown): string {
  if (typeof side !== 'object' || side === null || 'error' in side) return textOf(side);
  return textOf('input' in side ? side.input : side);
}
