import { quoteSheet } from '../../server/model/range.ts';
import { rangeOf, textOf, tsvField } from './cells.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';
import type { Terminal } from './terminal.ts';

export async function scenario(context: Context): Promise<number> {
  const { terminal, signal, args } = context;
  const set = Object.fromEntries(args.slice(1).map((text) => settingOf(text)));
  const sheet = context.option('sheet');
  const formulas = context.options('formula').map((text) => {
    const formula = text.startsWith('=') ? text : `=${text}`;
    return sheet === undefined ? { formula } : { formula, sheet };
  });
  const ranges = context.options('read').map(rangeOf);
  const { book, ref } = await context.place();
  const found = await book.scenario({ set, formulas, ranges }, { ref, signal });
  if (terminal.isJson) {
    terminal.json(found);
    return exitCodes.done;
  }
  for (const { sheet: name, a1, before, after } of found.changes.cells) {
    terminal.print(`${quoteSheet(name)}!${a1}: ${textOf(before)} → ${textOf(after)}`);
  }
  const { total, cells } = found.changes;
  if (total > cells.length) terminal.note(`… and ${total - cells.length} more`);
  for (const { formula, rows } of found.formulas) {
    terminal.print(formula);
    printRows(terminal, rows);
  }
  for (const { sheet: name, range, after } of found.slices) {
    terminal.print(`${quoteSheet(name)}!${range}`);
    printRows(terminal, after);
  }
  return exitCodes.done;
}

/** Reads a setting such as `Plan!B1=3`; numbers and booleans are recognised as in a cell. */
function settingOf(text: string): [string, number | string | boolean | null] {
  const at = text.indexOf('=');
  if (at < 1) throw new Stop(exitCodes.usage, `${text} is no input: write Plan!B1=3.`);
  const input = text.slice(at + 1);
  const cell = rangeOf(text.slice(0, at));
  if (/^(?:true|false)$/iu.test(input)) return [cell, input.toLowerCase() === 'true'];
  if (input === '') return [cell, null];
  return [cell, /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(input) ? Number(input) : input];
}

function printRows(terminal: Terminal, rows: readonly (readonly unknown[])[]): void {
  for (const row of rows) {
    terminal.print(`  ${row.map((value) => tsvField(textOf(value))).join('\t')}`);
  }
}
