import { setTimeout as sleep } from 'node:timers/promises';

import { rangeOf, textOf, tsvField } from './cells.ts';
import type { Context } from './context.ts';
import { exitCodes } from './stop.ts';

const watchMilliseconds = 500;

/** Prints the journal as it grows. It polls, because not every Node has a websocket. */
export async function watch(context: Context): Promise<number> {
  const { signal, args } = context;
  const { book } = await context.place();
  const range = args[1] === undefined ? undefined : rangeOf(args[1]);
  const most = Number(context.option('count') ?? Number.POSITIVE_INFINITY);
  let after = (await book.state({ signal })).head;
  let shown = range === undefined ? '' : await showCells(context, range, '');
  for (let count = 0; count < most;) {
    await sleep(watchMilliseconds, undefined, { signal });
    const before = count;
    for await (const one of book.ops({ after, signal })) {
      after = one.seq;
      count++;
      if (range === undefined) showOperation(context, one);
    }
    if (range !== undefined && count > before) shown = await showCells(context, range, shown);
  }
  return exitCodes.done;
}

interface Seen {
  readonly seq: number;
  readonly kind: string;
  readonly by: string;
}

function showOperation({ terminal }: Context, one: Seen): void {
  if (terminal.isJson) terminal.json(one);
  else terminal.print(`${one.seq}  ${one.kind}  ${one.by}`);
}

/** Prints the cells if they changed since they were shown; resolves with their text. */
async function showCells(context: Context, range: string, shown: string): Promise<string> {
  const { terminal, signal } = context;
  const { book } = await context.place();
  const { rows } = await book.read(range, { signal });
  const text = terminal.isJson
    ? JSON.stringify(rows)
    : rows.map((row) => row.map((one) => tsvField(textOf(one))).join('\t')).join('\n');
  if (text !== shown) terminal.print(text);
  return text;
}
