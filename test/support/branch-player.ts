import type { Book } from './book.ts';
import type { BranchHistory, HistoryStep, MergeStep, Winner, Written } from './branch-histories.ts';

// Plays histories of several branches over HTTP, and looks at each merge: both directions come to
// the same, nothing is lost or there twice, and what is applied is what was promised.

interface Conflict {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly status: string;
  readonly choices: readonly string[];
  readonly ours?: { readonly change?: string };
  readonly theirs?: { readonly change?: string };
}

interface Proposed {
  readonly id: string;
  readonly state: string;
  readonly stateHash: string;
  readonly base: { readonly branch: string; readonly seq: number; readonly virtual: boolean };
}

/** The rows of both sheets as they were entered. */
type Contents = readonly (readonly (readonly unknown[])[])[];

/** A merge with all of its conflicts settled, and what it comes to. */
interface Settled {
  readonly merge: Proposed;
  readonly conflicts: readonly Conflict[];
  readonly contents: Contents;
}

/** Kinds after which whole tables, columns or blocks are there as one side has them. */
const wholesale = /table\.edit_drop|table\.schema|table\.key|range\.move/u;

const otherOf: Readonly<Record<Winner, Winner>> = { ours: 'theirs', theirs: 'ours' };

export class BranchPlayer {
  readonly #book: Book;
  readonly faults: string[] = [];
  mergedCount = 0;

  constructor(book: Book) {
    this.#book = book;
  }

  async play({ base, steps }: BranchHistory): Promise<void> {
    const findings = { semanticEffects: 'ignore', newErrors: 'ignore', violations: 'ignore' };
    await this.#ask('/settings', { method: 'PUT', body: { policy: { merge: findings } } });
    await this.#write('main', base);
    for (const [at, step] of steps.entries()) await this.#step(step, at);
  }

  async #step(step: HistoryStep, at: number): Promise<void> {
    if ('fork' in step) {
      await this.#ask('/branches', { body: { name: step.fork, from: step.from } });
    } else if ('on' in step) await this.#write(step.on, step.operations);
    else if ('undoOn' in step) await this.#undo(step.undoOn);
    else if ('crossed' in step) await this.#cross(step.crossed, step.winner);
    else await this.#merge(step, (fault) => this.faults.push(`${at} ${told(step)}: ${fault}`));
  }

  async #ask(rest: string, options: Parameters<Book['ask']>[1] = {}): Promise<unknown> {
    const answer = await this.#book.ask(rest, options);
    if (answer.status >= 300) throw new Error(`${rest}: ${answer.text}`);
    return answer.json;
  }

  /** Writes one after the other; what the branch does not take is left out. */
  async #write(branch: string, operations: readonly Written[]): Promise<void> {
    for (const [kind, payload] of operations) {
      const body = { ops: [{ kind, payload }], writer: 'w' };
      const { status, text } = await this.#book.ask(`/branches/${branch}/ops`, { body });
      if (status >= 500) this.faults.push(`${kind} on ${branch}: ${text}`);
    }
  }

  async #undo(branch: string): Promise<void> {
    const { ops } = (await this.#ask(`/branches/${branch}/ops?after=0&limit=200`)) as {
      readonly ops: readonly { readonly seq: number; readonly kind: string }[];
    };
    const last = ops.findLast(({ kind }) => kind !== 'merge' && kind !== 'undo');
    if (last) await this.#write(branch, [['undo', { of: last.seq }]]);
  }

  async #cross(pair: readonly [string, string], winner: Winner): Promise<void> {
    const { branches } = (await this.#ask('/branches')) as {
      readonly branches: readonly { readonly name: string; readonly head: number }[];
    };
    const [one, other] = pair.map((name) => {
      return `${name}@${branches.find((branch) => branch.name === name)?.head ?? 0}`;
    });
    const merges = [
      await this.#propose({ source: one, target: pair[1] }),
      await this.#propose({ source: other, target: pair[0] }),
    ];
    for (const merge of merges) {
      if (!merge) continue;
      await this.#settle(merge.id, winner);
      await this.#ask(`/merges/${merge.id}/approve`, { body: {} });
    }
  }

  /** Undefined where the target holds all of the source. */
  async #propose(body: object): Promise<Proposed | undefined> {
    const { status, json, text } = await this.#book.ask('/merges', { body });
    if (status === 409 && text.includes('nothing_to_merge')) return undefined;
    if (status !== 201) throw new Error(text);
    return json as Proposed;
  }

  async #conflicts(id: string): Promise<readonly Conflict[]> {
    const page = (await this.#ask(`/merges/${id}/conflicts?limit=1000`)) as {
      readonly conflicts: readonly Conflict[];
    };
    return page.conflicts;
  }

  /** Chooses one side everywhere, also where a former merge was settled otherwise. */
  async #settle(id: string, winner: Winner): Promise<Settled> {
    for (let round = 0; round < 4; round++) {
      const conflicts = await this.#conflicts(id);
      const open = conflicts.filter(({ status }) => round === 0 || status === 'open');
      if (open.length === 0) break;
      const resolutions = open.map((one) => ({ id: one.id, choice: choiceFor(one, winner) }));
      await this.#ask(`/merges/${id}/resolve`, { body: { resolutions } });
    }
    const merge = (await this.#ask(`/merges/${id}`)) as Proposed;
    const contents = await this.#contents(`merge:${id}`);
    return { merge, conflicts: await this.#conflicts(id), contents };
  }

  async #contents(position: string): Promise<Contents> {
    const sheets = ['Sheet1!A1:P30', 'Tab!A1:H14'].map(async (range) => {
      const query = `ref=${encodeURIComponent(position)}&range=${range}&lens=input`;
      return ((await this.#ask(`/slice?${query}`)) as { rows: unknown[][] }).rows;
    });
    return Promise.all(sheets);
  }

  async #merge(step: MergeStep, tell: (fault: string) => void): Promise<void> {
    const { source, target, winner, isSquashed, isLast } = step;
    const proposed = await this.#propose({ source, target, squash: isSquashed });
    if (!proposed) return;
    const back = await this.#propose({ source: target, target: source });
    const here = await this.#settle(proposed.id, winner);
    const ours = await this.#contents(target);
    const theirs = await this.#contents(source);
    if (back) {
      compare(here, await this.#settle(back.id, otherOf[winner]), tell);
      await this.#ask(`/merges/${back.id}/abort`, { body: { reason: 'looked at' } });
    }
    const { branch, seq, virtual } = here.merge.base;
    const base = virtual ? undefined : await this.#contents(`${branch}@${seq}`);
    account(here, { base, ours, theirs }, tell);
    if (isLast && cellsOf(here.contents).join() !== cellsOf(theirs).join()) {
      tell('the target does not come to its source');
    }
    await this.#apply(step, here, tell);
    if (step.isReverted) await this.#revert(here, ours, target);
  }

  async #apply(
    { source, target, isSquashed }: MergeStep,
    { merge: { id, stateHash } }: Settled,
    tell: (fault: string) => void,
  ): Promise<void> {
    await this.#ask(`/merges/${id}/approve`, { body: {} });
    this.mergedCount++;
    const state = (await this.#ask(`/branches/${target}/state`)) as { stateHash: string };
    if (state.stateHash !== stateHash) tell('it is applied as something else');
    const again = isSquashed ? undefined : await this.#propose({ source, target });
    if (again) tell('it can be merged once more');
  }

  /** Takes a merge back, and that back again. */
  async #revert({ merge, contents }: Settled, before: Contents, target: string): Promise<void> {
    const sides = [before, contents];
    let revertOf = merge.id;
    for (const [at, wanted] of sides.entries()) {
      const proposed = await this.#propose({ revertOf, target });
      if (!proposed) return;
      const settled = await this.#settle(proposed.id, 'theirs');
      const isSame = JSON.stringify(settled.contents) === JSON.stringify(wanted);
      if (!isSame && settled.conflicts.length === 0) {
        this.faults.push(`taken back ${at + 1} times, ${target} has something else`);
      }
      await this.#ask(`/merges/${proposed.id}/approve`, { body: {} });
      revertOf = proposed.id;
    }
  }
}

function told({ source, target, winner }: MergeStep): string {
  return `${source} into ${target}, ${winner} wins`;
}

function choiceFor({ choices, ...sides }: Conflict, winner: Winner): string {
  if (choices.includes(winner)) return winner;
  return sides[winner]?.change === 'removed' ? 'delete' : 'keep';
}

/** Compares a merge with the one in the other direction, with the same winner. */
function compare(here: Settled, there: Settled, tell: (fault: string) => void): void {
  const [mine, their] = [here, there].map(({ conflicts }) =>
    conflicts.map(({ id, text }) => `${id} ${text}`),
  );
  const idsOf = (conflicts: readonly Conflict[]) =>
    conflicts
      .map(({ id }) => id)
      .sort()
      .join();
  if (idsOf(here.conflicts) !== idsOf(there.conflicts)) {
    tell(`conflicts here: ${String(mine)}, and there: ${String(their)}`);
  }
  if (here.merge.stateHash === there.merge.stateHash) return;
  // New lines of both sides in one place have another order, and names of formulas with them.
  const [one, other] = [here, there].map(({ contents }) =>
    valuesOf(contents).toSorted((a, b) => a - b),
  );
  if (String(one) !== String(other)) {
    const only = (list: readonly unknown[] = [], than: readonly unknown[] = []) =>
      list.filter((value) => !than.includes(value)).join();
    tell(`the other direction has other values: ${only(one, other)} / ${only(other, one)}`);
  }
}

interface Sides {
  /** Undefined where there are several bases. */
  readonly base: Contents | undefined;
  readonly ours: Contents;
  readonly theirs: Contents;
}

/** Tells of values that are lost or there twice, and that no conflict tells of. */
function account(merged: Settled, sides: Sides, tell: (fault: string) => void): void {
  const { conflicts } = merged;
  if (conflicts.some(({ kind }) => wholesale.test(kind))) return;
  const asked = JSON.stringify(conflicts);
  const [now, mine, their, was] = [merged.contents, sides.ours, sides.theirs, sides.base].map(
    (contents) => contents && countsOf(contents),
  );
  const counts = [now, mine, their, was];
  for (const value of new Set([now, mine, their].flatMap((one) => [...(one?.keys() ?? [])]))) {
    const fault = faultOf(counts.map((one) => one && (one.get(value) ?? 0)));
    if (fault !== undefined && !asked.includes(String(value))) tell(`${value} is ${fault}`);
  }
}

/** Tells from how often a value is on each side; the base is undefined where there are several. */
function faultOf([count, here, there, before]: readonly (number | undefined)[]) {
  if (count === undefined || here === undefined || there === undefined) return undefined;
  if (count > Math.max(here, there)) return `there ${count} times`;
  const isOfBoth = here > 0 && there > 0;
  return count === 0 && (isOfBoth || before === 0) ? 'lost' : undefined;
}

function countsOf(contents: Contents): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const value of valuesOf(contents)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function valuesOf(contents: Contents): number[] {
  return cellsOf(contents).filter((held) => typeof held === 'number');
}

function cellsOf(contents: Contents): unknown[] {
  return contents.flatMap((rows) => rows.flat()).filter((held) => held !== null && held !== '');
}
