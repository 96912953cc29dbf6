import type { Conflict, Merge } from '../library/merge.ts';
import { textOf } from './cells.ts';
import type { Terminal } from './terminal.ts';

type Choices = Parameters<Merge['resolve']>[0];
type Decision = NonNullable<Choices['resolutions']>[number];
type Side = 'ours' | 'theirs' | 'base' | 'custom';

const keys: Readonly<Record<string, Side>> = { o: 'ours', t: 'theirs', b: 'base', c: 'custom' };
const help = [
  'o ours      what the target has',
  't theirs    what the source has',
  'b base      what both had',
  'c custom    something else, typed',
  's skip      decide later',
  'a all       the same for this and all that follow of its kind',
  'u undo      go back to the one before',
  'w write     send what was decided',
  'q quit      send nothing',
];

/**
 * Asks about conflict after conflict; resolves with the choices, or undefined when the person
 * leaves. Nothing is sent.
 */
export async function review(
  terminal: Terminal,
  conflicts: readonly Conflict[],
): Promise<Choices | undefined> {
  const decisions = new Map<string, Decision>();
  for (let at = 0; ;) {
    const conflict = conflicts[at];
    if (conflict) show(terminal, conflict, `${at + 1}/${conflicts.length}`);
    const question = conflict ? '[o,t,b,c,s,a,u,w,q,?] ' : `${decisions.size} decided. [w,u,q,?] `;
    const key = (await terminal.ask(question)).slice(0, 1).toLowerCase();
    if (key === 'q') return undefined;
    if (key === 'w') return { resolutions: [...decisions.values()], bulk: [] };
    if (key === 'u') at = back(conflicts, decisions, at);
    else if (!conflict) tellKeys(terminal);
    else at = await step(terminal, { conflicts, decisions, at, conflict }, key);
  }
}

interface Place {
  readonly conflicts: readonly Conflict[];
  readonly decisions: Map<string, Decision>;
  readonly at: number;
  readonly conflict: Conflict;
}

/** Applies a key; resolves with the index of the next conflict to show. */
async function step(terminal: Terminal, place: Place, key: string): Promise<number> {
  const { conflicts, decisions, at, conflict } = place;
  if (key === 's') return at + 1;
  if (key === 'a') return all(terminal, conflicts, at, decisions);
  const choice = keys[key];
  if (choice === undefined) {
    tellKeys(terminal);
    return at;
  }
  const decision = await decide(terminal, conflict, choice);
  if (decision) decisions.set(conflict.id, decision);
  return decision ? at + 1 : at;
}

function tellKeys(terminal: Terminal): void {
  for (const line of help) terminal.warn(line);
}

function show(terminal: Terminal, conflict: Conflict, place: string): void {
  terminal.warn(terminal.paint('bold', `\n${place}  ${conflict.text}`));
  for (const name of ['base', 'ours', 'theirs'] as const) {
    const { input, value, by, writer } = conflict[name];
    const shown = textOf(input ?? value);
    const who = by === undefined ? '' : terminal.paint('dim', `  ${by} (${writer ?? ''})`);
    terminal.warn(`  ${name.padEnd(7)} ${shown}${who}`);
  }
}

async function decide(
  terminal: Terminal,
  { id, choices }: Conflict,
  choice: Side,
): Promise<Decision | undefined> {
  if (!choices.includes(choice)) {
    terminal.warn(`It can be ${choices.join(', ')}.`);
    return undefined;
  }
  if (choice !== 'custom') return { id, choice };
  return { id, choice, input: await terminal.ask('What counts: ') };
}

/** Returns the index before, and drops the choice about its conflict. */
function back(
  conflicts: readonly Conflict[],
  decisions: Map<string, Decision>,
  at: number,
): number {
  const before = Math.max(0, at - 1);
  decisions.delete(conflicts[before]?.id ?? '');
  return before;
}

/**
 * Applies a choice to all conflicts of the same kind; resolves with the index of the next other
 * one.
 */
async function all(
  terminal: Terminal,
  conflicts: readonly Conflict[],
  at: number,
  decisions: Map<string, Decision>,
): Promise<number> {
  const key = (await terminal.ask('For all of this kind: [o,t,b] ')).slice(0, 1).toLowerCase();
  const choice = keys[key];
  if (choice === undefined || choice === 'custom') return at;
  const { kind } = conflicts[at] ?? {};
  for (const conflict of conflicts.slice(at)) {
    const fits = conflict.kind === kind && conflict.choices.includes(choice);
    if (fits) decisions.set(conflict.id, { id: conflict.id, choice });
  }
  const next = conflicts.findIndex(({ id }, index) => index >= at && !decisions.has(id));
  return next < 0 ? conflicts.length : next;
}
