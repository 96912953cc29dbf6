import type { Conflict, Merge, MergeRecord } from '../library/merge.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';
import { review } from './review.ts';
import { fileAt } from './workbooks.ts';
import { textOf } from './cells.ts';

type Choices = Parameters<Merge['resolve']>[0];

export async function merge(context: Context): Promise<number> {
  const { signal } = context;
  const choices = await givenChoices(context);
  const { book } = await context.place();
  const source = context.argument(1, 'The branch to merge (or mrg_… of a merge that is open)');
  const into = book.on(context.option('into') ?? book.branch);
  if (context.has('dry-run')) {
    const trial = await context.quire().call('POST', '/v1/workbooks/{id}/merges', {
      signal,
      path: { id: book.id },
      body: { source, target: into.branch, dryRun: true },
    });
    return reportTrial(context, trial, { source, target: into.branch });
  }
  const isOpen = source.startsWith('mrg_');
  const found = isOpen
    ? await book.openMerge(source, { signal })
    : await into.merge(source, { signal });
  if (context.has('abort')) {
    await found.abort('', { signal });
    return report(context, found, exitCodes.done);
  }
  if (choices) await found.resolve(choices, { signal });
  const open = await found.conflicts({ status: 'open', signal }).all();
  if (open.length > 0) return whatIsOpen(context, found, open);
  return apply(context, found);
}

/** Reads the choices about conflicts from the options; undefined if there are none. */
async function givenChoices(context: Context): Promise<Choices | undefined> {
  const side = ['ours', 'theirs'].find((name) => context.has(name));
  const bulk = side === undefined ? [] : [{ where: { status: 'open' }, choice: side }];
  const resolutions: unknown[] = context.options('choose').map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return { id: text.slice(0, at), choice: text.slice(at + 1) };
    throw new Stop(exitCodes.usage, `${text} is no choice: write <id>=ours, <id>=theirs, …`);
  });
  const from = context.option('from');
  if (from !== undefined) resolutions.push(...choicesIn(await fileAt(from), from));
  if (bulk.length + resolutions.length === 0) return undefined;
  return { bulk, resolutions } as Choices;
}

/** Reads choices from a file: a list of `{id, choice}`, or an object of choices by id. */
function choicesIn(bytes: Buffer, from: string): unknown[] {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (Array.isArray(value)) return value;
    return Object.entries(value as object).map(([id, choice]: [string, unknown]) => ({
      id,
      choice,
    }));
  } catch (error) {
    throw new Stop(exitCodes.usage, `${from} is no JSON: ${(error as Error).message}`);
  }
}

async function whatIsOpen(context: Context, found: Merge, open: Conflict[]): Promise<number> {
  const { terminal, signal } = context;
  if (terminal.isInteractive) {
    const choices = await review(terminal, open);
    if (!choices) return report(context, found, exitCodes.differs);
    await found.resolve(choices, { signal });
    const left = await found.conflicts({ status: 'open', signal }).all();
    return left.length > 0 ? report(context, found, exitCodes.differs) : apply(context, found);
  }
  if (terminal.isJson) {
    for (const conflict of open) terminal.json(conflict);
    return exitCodes.differs;
  }
  for (const { id, text, choices, ours, theirs } of open) {
    terminal.print(`${id}  ${text}`);
    terminal.print(
      `  ours ${textOf(ours.input)}, theirs ${textOf(theirs.input)}  (${choices.join(', ')})`,
    );
  }
  terminal.note(
    `${open.length} to decide: \`quire merge <book> ${found.id} --choose <id>=<choice>\`, --ours or --theirs.`,
  );
  return exitCodes.differs;
}

async function apply(context: Context, found: Merge): Promise<number> {
  const { terminal, signal } = context;
  let isWanted = context.has('approve') || context.has('yes');
  if (!isWanted && terminal.isInteractive) {
    const { cells = 0 } = (found.record.summary?.changes ?? {}) as { cells?: number };
    isWanted = /^y/i.test(await terminal.ask(`Merge ${cells} changed cells? [y/N] `));
  }
  if (isWanted) await found.approve({}, { signal });
  return report(context, found, exitCodes.done);
}

type Trial = Pick<MergeRecord, 'state' | 'summary'>;

/** Prints the outcome of a dry run, in which nothing can be decided yet. */
function reportTrial(
  { terminal }: Context,
  trial: Trial,
  { source, target }: { source: string; target: string },
): number {
  const open = trial.summary?.conflicts.open ?? 0;
  if (terminal.isJson) terminal.json(trial);
  else {
    const { cells = 0 } = (trial.summary?.changes ?? {}) as { cells?: number };
    terminal.print(`${source} into ${target}: ${cells} changed cells, ${open} to decide`);
    terminal.note('Nothing is kept of it: `quire merge` without --dry-run proposes it.');
  }
  return open > 0 ? exitCodes.differs : exitCodes.done;
}

function report({ terminal }: Context, found: Merge, code: number): number {
  if (terminal.isJson) terminal.json(found.record);
  else terminal.print(sentenceOf(found.record));
  return code;
}

function sentenceOf({ id, state, result }: MergeRecord): string {
  const applied = result as { branch?: string; seq?: number } | null | undefined;
  if (state === 'merged' && applied) return `${id} is merged: ${applied.branch}@${applied.seq}`;
  if (state === 'review')
    return `${id} is ready: \`quire merge <book> ${id} --approve\` writes it.`;
  return `${id}: ${state}`;
}
