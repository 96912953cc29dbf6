import { operationLimits as limits } from '../model/operation-limits.ts';
import { Rejection } from '../model/rejection.ts';
import type { JournalRecord } from './record.ts';

/** Whose changes they are, and before which of them to look; the head when left out. */
export interface OwnQuestion {
  readonly principalId: string;
  readonly writer: string;
  readonly before: number | undefined;
}

/** Operations of one writer that belong together, the newest first. */
export interface OwnChange {
  /** A sequence, or a group. */
  readonly of: number | string;
  readonly seqs: readonly number[];
}

/** The journal of a branch, the newest first, and any operation of it. */
export interface BackwardReading {
  backwards(through: number): AsyncIterable<JournalRecord>;
  at(seq: number): Promise<JournalRecord | undefined>;
  readonly head: number;
}

/** Kinds that nobody expects to go when they take their last change back. */
const untouched: ReadonlySet<string> = new Set(['commit', 'merge', 'policy.set']);
const takingBack: ReadonlySet<string> = new Set(['undo', 'redo']);

/**
 * The changes a writer would take back next, read from the journal: others' operations count
 * for nothing, and what the writer has undone already is passed over.
 */
export class OwnChanges {
  readonly #reading: BackwardReading;
  readonly #question: OwnQuestion;
  /** Operations of the writer that are undone: a later one took them back. */
  readonly #goneSeqs = new Set<number>();
  readonly #goneGroups = new Set<string>();

  constructor(reading: BackwardReading, question: OwnQuestion) {
    this.#reading = reading;
    this.#question = question;
  }

  /** The last change of the writer that is in force. */
  async lastDone(): Promise<OwnChange> {
    let found: { readonly of: number | string; readonly seqs: number[] } | undefined;
    for await (const record of this.#ownInForce()) {
      if (found) {
        // Operations of one group go together, whatever of the writer stands between.
        if (record.group === found.of) found.seqs.push(record.seq);
      } else if (!this.#isBefore(record) || (await this.#takesBackOwn(record))) continue;
      else if (record.group === undefined) return { of: record.seq, seqs: [record.seq] };
      else found = { of: record.group, seqs: [record.seq] };
    }
    if (found) return found;
    throw this.#nothing('undone');
  }

  /** The last undo of the writer that is in force, unless there are newer changes. */
  async lastUndone(): Promise<OwnChange> {
    for await (const { kind, seq } of this.#ownInForce()) {
      if (kind === 'redo') continue;
      if (kind !== 'undo') break;
      if (this.#isBefore({ seq })) return { of: seq, seqs: [seq] };
    }
    throw this.#nothing('redone');
  }

  /** Passes over what does not count, and notes what each takes back. */
  async *#ownInForce(): AsyncGenerator<JournalRecord> {
    const { principalId, writer } = this.#question;
    const least = this.#reading.head - limits.operationsPerUndo;
    for await (const record of this.#reading.backwards(this.#reading.head)) {
      if (record.seq <= least) return;
      if (record.principalId !== principalId || record.writer !== writer) continue;
      if (this.#isGone(record)) continue;
      const of = takenBackBy(record);
      if (typeof of === 'number') this.#goneSeqs.add(of);
      if (typeof of === 'string') this.#goneGroups.add(of);
      yield record;
    }
  }

  #isGone({ seq, group, kind, resolved }: JournalRecord): boolean {
    if (untouched.has(kind) || this.#goneSeqs.has(seq)) return true;
    // An undo that changed nothing is done all the same: the next one goes on behind it.
    if (takingBack.has(kind)) return false;
    return resolved.noop === true || (group !== undefined && this.#goneGroups.has(group));
  }

  #isBefore({ seq }: Pick<JournalRecord, 'seq'>): boolean {
    return seq < (this.#question.before ?? Infinity);
  }

  /** An undo of what the writer has done is no change; one of what others have done is. */
  async #takesBackOwn(record: JournalRecord): Promise<boolean> {
    if (record.kind !== 'undo') return false;
    const of = takenBackBy(record);
    if (typeof of !== 'number') return of !== undefined;
    const taken = await this.#reading.at(of);
    const { principalId, writer } = this.#question;
    return taken?.principalId === principalId && taken.writer === writer;
  }

  #nothing(what: string): Rejection {
    const { writer, before } = this.#question;
    const where = before === undefined ? '' : ` before operation ${before}`;
    const most = limits.operationsPerUndo;
    return new Rejection(
      'no_own_change',
      `among the last ${most} operations nothing of the writer ${writer} can be ${what}${where}`,
    );
  }
}

/** Stretches of sequences that follow one another, the first of them first. */
export function stretchesOf(seqs: readonly number[]): [from: number, through: number][] {
  const stretches: [number, number][] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last && last[1] + 1 === seq) last[1] = seq;
    else stretches.push([seq, seq]);
  }
  return stretches;
}

function takenBackBy({ kind, payload }: JournalRecord): number | string | undefined {
  if (!takingBack.has(kind)) return undefined;
  if (typeof payload !== 'object' || payload === null || !('of' in payload)) return undefined;
  const { of } = payload;
  return typeof of === 'number' || typeof of === 'string' ? of : undefined;
}
