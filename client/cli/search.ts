import { quoteSheet } from '../../server/model/range.ts';
import { rangeOf, textOf, tsvField } from './cells.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';

const lenses = ['value', 'formula', 'input'] as const;
const matchKinds = ['contains', 'whole', 'starts'] as const;
const directions = ['up', 'down', 'left', 'right'] as const;
const foundMost = 1_000;

export async function find(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const text = context.argument(1, 'The text');
  const lens = oneOf(lenses, context.option('lens') ?? 'value', 'lens');
  const match = oneOf(matchKinds, context.option('match') ?? 'contains', '--match');
  const most = Number(context.option('number') ?? foundMost);
  if (!Number.isInteger(most) || most < 1) {
    throw new Stop(exitCodes.usage, '--number is a count, from 1.');
  }
  const { book, ref } = await context.place();
  const sheet = context.option('sheet');
  const wishes = { ref, lens, match, caseSensitive: context.has('case'), signal };
  const pages = book.find(text, { ...wishes, ...(sheet !== undefined && { sheet }) });
  let count = 0;
  for await (const found of pages) {
    if (terminal.isJson) terminal.json(found);
    else {
      const { sheet: name, cell, value } = found;
      terminal.print(`${quoteSheet(name)}!${cell}\t${tsvField(textOf(value))}`);
    }
    if (++count >= most) break;
  }
  if (count === 0) terminal.note('Nothing was found.');
  return exitCodes.done;
}

export async function edge(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const cell = rangeOf(context.argument(1, 'The cell'));
  const direction = oneOf(directions, context.argument(2, 'The direction'), 'direction');
  const { book, ref } = await context.place();
  const found = await book.edge(cell, direction, { ref, signal });
  if (terminal.isJson) terminal.json(found);
  else terminal.print(`${quoteSheet(found.sheet)}!${found.cell}`);
  return exitCodes.done;
}

function oneOf<Word extends string>(words: readonly Word[], given: string, name: string): Word {
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw new Stop(exitCodes.usage, `${given} is no ${name}: ${words.join(', ')}.`);
}
