import { operationLimits as limits } from '../model/operation-limits.ts';
import { Rejection } from '../model/rejection.ts';
import type { JournalRecord } from './record.ts';

/** The writer, and the sequence before which to look; the head if left out. */
export interface OwnQuestion {
  readonly principalId: string;
  readonly writer: string;
  readonly before: number | undefined;
}

/** A change of one writer: operations that belong together, the newest first. */
export interface OwnChange {
  /** Sequence or group of the change. */
  readonly of: number | string;
  readonly seqs: readonly number[];
}

/** Access to the journal of a branch backwards, and to single operations. */
export interface BackwardReading {
  backwards(through: number): AsyncIterable<JournalRecord>;
  at(seq: number): Promise<JournalRecord | undefined>;
  readonly head: number;
}

/** Kinds that are no changes for an undo of the last change. */
const untouched: ReadonlySet<string> = new Set(['commit', 'merge', 'policy.set']);
const takingBack: ReadonlySet<string> = new Set(['undo', 'redo']);

/**
 * Finds the changes that a writer would undo or redo next, in the journal: operations of others are
 * skipped, and so are changes that are undone already.
 */
export class OwnChanges {
  readonly #reading: BackwardReading;
  readonly #question: OwnQuestion;
  /** Operations of the writer that a later one has undone. */
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
        // Operations of one group belong together, even with others of the writer in between.
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

  /** Yields the operations that count, and notes what each undoes. */
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
    // An undo without effect counts as done: the next one continues before it.
    if (takingBack.has(kind)) return false;
    return resolved.noop === true || (group !== undefined && this.#goneGroups.has(group));
  }

  #isBefore({ seq }: Pick<JournalRecord, 'seq'>): boolean {
    return seq < (this.#question.before ?? Infinity);
  }

  /** Returns whether an operation undoes the writer's own; an undo of others' is a change. */
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

/** Joins sequences into stretches of consecutive ones, in ascending order. */
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
