import type { Context } from './context.ts';
import { openInBrowser } from './browser.ts';
import { exitCodes } from './stop.ts';

/** Opens a workbook in the console if a person is there, and prints its address. */
export async function open(context: Context): Promise<number> {
  const { terminal } = context;
  const links = await context.stranger().links({ signal: context.signal });
  const address = `${links['console'] ?? `${context.url}/console`}${await tailOf(context)}`;
  if (terminal.isJson) terminal.json({ url: address });
  else terminal.print(address);
  if (!terminal.isTerminal || !terminal.isInteractive) return exitCodes.done;
  if (!(await openInBrowser(address))) terminal.note('There is no browser here: open it yourself.');
  return exitCodes.done;
}

async function tailOf(context: Context): Promise<string> {
  if (context.args[0] === undefined) return '';
  const { book, ref } = await context.place();
  const what = context.args[1];
  if (what === undefined) return `/${book.id}?at=${encodeURIComponent(ref)}`;
  if (what.startsWith('mrg_')) return `/${book.id}/merges/${encodeURIComponent(what)}`;
  if (what.startsWith('mat_')) return `/${book.id}/matches/${encodeURIComponent(what)}`;
  const bang = what.lastIndexOf('!');
  const query = new URLSearchParams({ at: ref });
  if (bang > 0)
    query.set(
      'sheet',
      what
        .slice(0, bang)
        .replace(/^'(.*)'$/, '$1')
        .replaceAll("''", "'"),
    );
  query.set('cell', what.slice(bang + 1));
  return `/${book.id}?${query.toString()}`;
}
