import type { Match, MatchRow, MatchWishes } from '../library/match.ts';
import type { Workbook } from '../library/quire.ts';
import type { Context } from './context.ts';
import { reviewPairs, type Decision } from './match-review.ts';
import { exitCodes, Stop } from './stop.ts';
import { textOf, tsvField } from './cells.ts';

const decisions = ['accept', 'review', 'reject'] as const;
const applications = ['table', 'column'] as const;

/** Lists matches, starts one, or shows, decides and applies an existing one. */
export async function match(context: Context): Promise<number> {
  const { args } = context;
  const { book, ref } = await context.place();
  const [, left, right] = args;
  if (left === undefined) return list(context, book);
  if (left.startsWith('mat_')) return goOn(context, book, left);
  if (right === undefined) {
    throw new Stop(exitCodes.usage, 'Say two columns: Orders.Customer Customers.Name');
  }
  const wishes = {
    branch: ref,
    left: columnOf(left),
    right: columnOf(right),
    opts: options(context),
  };
  const started = await book.match({ ...wishes, signal: context.signal });
  context.terminal.note(`${started.id} is ${started.status}.`);
  if (context.has('no-wait')) {
    if (context.terminal.isJson) context.terminal.json(started.record);
    else context.terminal.print(started.id);
    return exitCodes.done;
  }
  return show(context, started);
}

async function list({ terminal, signal }: Context, book: Workbook): Promise<number> {
  const { tables } = await book.state({ signal });
  const names = new Map(tables.map(({ id, name }) => [id, name]));
  for await (const one of book.matches({ signal })) {
    const { matchId, status, left, right, counts } = one;
    if (terminal.isJson) terminal.json(one);
    else {
      const found =
        status !== 'done' ? '' : `  ${counts.accept} accepted, ${counts.review} to review`;
      terminal.print(
        `${matchId}  ${status}  ${sideText(left, names)} ~ ${sideText(right, names)}${found}`,
      );
    }
  }
  return exitCodes.done;
}

function sideText(
  { tableId, column, columns = [] }: Match['record']['left'],
  tables: ReadonlyMap<string, string>,
): string {
  const names = columns.map((one) => (typeof one === 'string' ? one : one.column));
  return `${tables.get(tableId) ?? tableId}.${column ?? names.join('+')}`;
}

/** Reads a table and its column: `Orders.Customer`. */
function columnOf(text: string): MatchWishes['left'] {
  const dot = text.indexOf('.');
  if (dot > 0 && dot < text.length - 1) {
    return { tableId: text.slice(0, dot), column: text.slice(dot + 1) };
  }
  throw new Stop(exitCodes.usage, `${text} is no column of a table: write Orders.Customer`);
}

function options(context: Context): NonNullable<MatchWishes['opts']> {
  const numbers = ['hi', 'lo'].flatMap((name) => {
    const given = context.option(name);
    return given === undefined ? [] : [[name, numberOf(name, given)] as const];
  });
  const texts = [
    ['provider', context.option('provider')],
    ['verifyProvider', context.option('verify-provider')],
  ].filter(([, value]) => value !== undefined);
  return Object.fromEntries([...numbers, ...texts]) as NonNullable<MatchWishes['opts']>;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new Stop(exitCodes.usage, `--${name} is a number from 0 to 1, not ${text}.`);
}

async function goOn(context: Context, book: Workbook, id: string): Promise<number> {
  const { terminal, signal } = context;
  const application = oneOf(context, 'apply', applications);
  const found = await book.openMatch(id, { signal });
  if (context.has('cancel')) {
    const ended = await found.cancel({ signal });
    if (terminal.isJson) terminal.json(ended);
    else terminal.print(`${id} is cancelled.`);
    return exitCodes.done;
  }
  const given = [...pairs(context, 'accept'), ...pairs(context, 'reject')];
  if (given.length > 0) await decide(context, found, given);
  if (context.has('review') && terminal.isInteractive) await review(context, found);
  return application === undefined ? show(context, found) : apply(context, found, application);
}

function oneOf<Word extends string>(
  context: Context,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = context.option(name);
  const word = words.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw new Stop(exitCodes.usage, `--${name} is one of ${words.join(', ')}, not ${given}.`);
}

interface Wanted {
  readonly pair: string;
  readonly decision: Decision['decision'];
}

function pairs(context: Context, decision: 'accept' | 'reject'): Wanted[] {
  return context.options(decision).map((pair) => ({ pair, decision }));
}

/** Decides pairs, given as they are printed (`left=right`), or `all` that wait for a person. */
async function decide(context: Context, found: Match, given: readonly Wanted[]): Promise<void> {
  const { signal } = context;
  await found.ended({ signal });
  const isForAll = given.every(({ pair }) => pair === 'all');
  const rows = await found.rows({ decision: isForAll ? 'review' : undefined, signal }).all();
  const chosen = given.flatMap(({ pair, decision }) => {
    const meant = rows.filter((row) => {
      return pair === 'all' ? row.decision === 'review' : pairText(row) === pair;
    });
    if (meant.length > 0 || pair === 'all') return meant.map((row) => decisionOf(row, decision));
    throw new Stop(exitCodes.notFound, `${found.id} has no pair ${pair}: write <left>=<right>.`);
  });
  await send(context, found, chosen.flat());
}

function pairText({ leftKey, rightKey }: MatchRow): string {
  return `${String(leftKey)}=${String(rightKey)}`;
}

function decisionOf({ leftKey, rightKey }: MatchRow, decision: Decision['decision']): Decision[] {
  return rightKey === null ? [] : [{ leftKey, rightKey, decision }];
}

async function review(context: Context, found: Match): Promise<void> {
  const { signal, terminal } = context;
  await found.ended({ signal, onProgress: terminal.progress });
  const rows = await found.rows({ decision: 'review', signal }).all();
  const decided = await reviewPairs(terminal, rows);
  if (decided) await send(context, found, decided);
  else terminal.note('Nothing was sent.');
}

/** Sends decisions in parts of the size that a call takes. */
async function send(context: Context, found: Match, all: readonly Decision[]): Promise<void> {
  const most = 10_000;
  for (let from = 0; from < all.length; from += most) {
    await found.decide(all.slice(from, from + most), { signal: context.signal });
  }
  context.terminal.note(`${all.length} decided.`);
}

async function apply(context: Context, found: Match, as: 'table' | 'column'): Promise<number> {
  const { signal, terminal } = context;
  await found.ended({ signal, onProgress: terminal.progress });
  const { book } = await context.place();
  const name = context.option('name');
  const named = name === undefined ? {} : { name };
  const applied = await found.apply({ branch: book.branch, as, ...named }, { signal });
  if (terminal.isJson) terminal.json(applied);
  else terminal.print(`${applied.name}: ${applied.rows} rows, ${applied.branch}@${applied.head}`);
  return exitCodes.done;
}

/** Waits for the end and prints the rows; exits with 3 while pairs wait for a person. */
async function show(context: Context, found: Match): Promise<number> {
  const { signal, terminal } = context;
  const decision = oneOf(context, 'decision', decisions);
  await found.ended({ signal, onProgress: terminal.progress });
  const { status, error, counts } = found.record;
  if (status !== 'done') {
    const { message, hint = '' } = error ?? {};
    const reason = message === undefined ? '' : `: ${message} ${hint}`.trimEnd();
    throw new Stop(exitCodes.failed, `${found.id} has ${status}${reason}`);
  }
  for await (const row of found.rows({ decision, signal })) {
    if (terminal.isJson) terminal.json(row);
    else terminal.print(rowText(row));
  }
  const waiting = counts.review;
  terminal.note(`${counts.accept} accepted, ${waiting} to review, ${counts.reject} rejected.`);
  if (waiting === 0) return exitCodes.done;
  terminal.note(
    `Decide with \`quire match <book> ${found.id} --review\`, or --accept <left>=<right>.`,
  );
  return exitCodes.differs;
}

function rowText({ decision, leftKey, rightKey, score, reason }: MatchRow): string {
  const shown = [leftKey, rightKey ?? '', score === null ? '' : score.toFixed(3)].map(textOf);
  return [decision, ...shown, reason].map(tsvField).join('\t');
}
