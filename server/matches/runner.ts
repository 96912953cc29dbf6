import type { Payload, Pool, Result, TaskName } from '../compute/pool.ts';
import type { JobRun } from '../jobs/jobs.ts';
import { findSuitors, noRow, type Candidates } from '../../workers/matching/candidates.ts';
import {
  placeScores,
  placeVerification,
  unverified,
  type Verification,
} from '../../workers/matching/chunks.ts';
import { candidatesOf, type MatchRules } from '../../workers/matching/options.ts';
import type { PreparedMatch } from '../../workers/matching/prepared.ts';
import type { WrittenRows } from '../../workers/matching/written-rows.ts';
import { findColumn, readColumn, type ColumnParts, type ReadColumn } from './columns.ts';
import { progressAt, type MatchRecord, type Phase } from './match.ts';
import { rulesOf } from './options.ts';
import type { MatchTable, StoredChunk } from './sql.ts';

export interface RunnerParts extends ColumnParts {
  readonly table: MatchTable;
  readonly pool: Pick<Pool, 'run'>;
  /** Tasks of one match that are under way at the same time. */
  readonly tasksMost: number;
  readonly meter: (userId: string, meter: Meter, count: number) => void;
}

type Meter = 'matches' | 'match.pairs' | 'match.embeddings' | 'match.verifications';

/** It was ended by somebody else while it was worked on. */
export class MatchEnded extends Error {}

/** Texts of one task: some twenty milliseconds of a thread, so that others get their turns. */
const chunkTexts = 256;
const taskMilliseconds = 120_000;

interface Columns {
  readonly left: ReadColumn;
  readonly right: ReadColumn;
  readonly aliases: { readonly from: ReadColumn; readonly to: ReadColumn } | undefined;
}

/** Does one match from its first phase to its last, going on with what was kept of a run before. */
export class MatchRunner {
  readonly #parts: RunnerParts;
  readonly #match: MatchRecord;
  readonly #rules: MatchRules;
  readonly #signal: AbortSignal;

  constructor(parts: RunnerParts, match: MatchRecord, { signal }: JobRun) {
    this.#parts = parts;
    this.#match = match;
    this.#rules = rulesOf(match.request);
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { table } = this.#parts;
    const { id, workbookId } = this.#match;
    await this.#advance('reading', 0, 1);
    const columns = await this.#read();
    const hash = await this.#hashOf(columns);
    if (await table.reuse(workbookId, id, hash)) return;
    await table.noteInputs(id, hash);
    await this.#advance('embedding', 0, 1);
    const prepared = await this.#prepare(columns);
    const candidates = await this.#score(prepared);
    const verification = await this.#verify(prepared, candidates);
    await this.#advance('assigning', 0, 1);
    const written = await this.#pooled('writeRows', {
      prepared,
      rules: this.#rules,
      candidates,
      verification,
      matchId: id,
      left: columns.left,
      right: columns.right,
    });
    await this.#advance('writing', 0, written.total);
    await this.#finish(prepared, verification, written);
  }

  async #read(): Promise<Columns> {
    const { branches } = this.#parts;
    const { workbookId, branchNo, branch, seq, request } = this.#match;
    const address = { workbookId, branchNo };
    const place = { address, branch, seq, isPinned: true };
    const state = await branches.stateAt(address, seq);
    const read = (tableId: string, column: string, pointer: string): Promise<ReadColumn> =>
      readColumn(findColumn(state, { tableId, column }, pointer), place, this.#parts);
    const { left, right, opts } = request;
    const leftColumn = await read(left.tableId, left.column, '/left');
    const rightColumn = this.#rules.isDedupe
      ? leftColumn
      : await read(right.tableId, right.column, '/right');
    if (!opts.aliases) return { left: leftColumn, right: rightColumn, aliases: undefined };
    const { tableId, from, to } = opts.aliases;
    const aliases = {
      from: await read(tableId, from, '/opts/aliases'),
      to: await read(tableId, to, '/opts/aliases'),
    };
    return { left: leftColumn, right: rightColumn, aliases };
  }

  #hashOf({ left, right, aliases }: Columns): Promise<Uint8Array> {
    const { algo, request, branchNo, seq } = this.#match;
    const facts = JSON.stringify([algo, branchNo, seq, request]);
    const texts = [left, right].flatMap((side) => [side.texts, side.keys]);
    if (aliases) texts.push(aliases.from.texts, aliases.to.texts);
    return this.#pooled('hashInputs', { facts, texts });
  }

  async #prepare({ left, right, aliases }: Columns): Promise<PreparedMatch> {
    const { normalise, dim } = this.#rules;
    const prepared = await this.#pooled('prepareMatch', {
      left: left.texts,
      right: right.texts,
      normalise,
      ...(dim !== undefined && { dim }),
      ...(aliases && { aliases: { from: aliases.from.texts, to: aliases.to.texts } }),
    });
    const factsOf = ({ textOf, starts, emptyCount: empty }: PreparedMatch['left']) => {
      return { rows: textOf.length, distinct: starts.length - 1, empty };
    };
    const sides = { left: factsOf(prepared.left), right: factsOf(prepared.right) };
    await this.#parts.table.noteSides(this.#match.id, sides);
    await this.#advance('embedding', 1, 1);
    return prepared;
  }

  async #score(prepared: PreparedMatch): Promise<Candidates> {
    const total = prepared.equal.length;
    const width = candidatesOf(this.#rules);
    const candidates: Candidates = {
      width,
      rows: new Uint32Array(new SharedArrayBuffer(total * width * 4)).fill(noRow),
      cosines: new Float64Array(new SharedArrayBuffer(total * width * 8)),
    };
    const rules = this.#rules;
    await this.#chunked('scoring', total, {
      make: (from, to) => this.#pooled('scoreChunk', { prepared, rules, from, to }),
      place: (data, from) => placeScores(candidates, data, from),
    });
    return candidates;
  }

  async #verify(prepared: PreparedMatch, candidates: Candidates): Promise<Verification> {
    const total = prepared.equal.length;
    const { width } = candidates;
    const verification: Verification = {
      confidences: new Uint32Array(new SharedArrayBuffer(total * width * 4)).fill(unverified),
      verdicts: new Uint8Array(new SharedArrayBuffer(total * width)),
    };
    if (!this.#rules.isVerified) return verification;
    const suitors = findSuitors(candidates, prepared.right.starts.length - 1);
    const rules = this.#rules;
    await this.#chunked('verifying', total, {
      make: (from, to) =>
        this.#pooled('verifyChunk', { prepared, rules, from, to, candidates, suitors }),
      place: (data, from) => placeVerification(verification, data, from * width),
    });
    return verification;
  }

  /** Makes the parts that no run before has kept, some at a time, and keeps them as they come. */
  async #chunked(
    phase: Phase,
    total: number,
    {
      make,
      place,
    }: {
      make: (from: number, to: number) => Promise<Uint8Array>;
      place: (data: Uint8Array, from: number) => void;
    },
  ): Promise<void> {
    const kept = new Set<number>();
    for (const { first, data } of await this.#parts.table.chunks(this.#match.id, phase)) {
      place(data, first);
      kept.add(first);
    }
    const missing: number[] = [];
    for (let from = 0; from < total; from += chunkTexts) if (!kept.has(from)) missing.push(from);
    let done = total - missing.length * chunkTexts;
    const work = async (): Promise<void> => {
      for (let first = missing.shift(); first !== undefined; first = missing.shift()) {
        const to = Math.min(total, first + chunkTexts);
        const data = await make(first, to);
        place(data, first);
        done += chunkTexts;
        await this.#advance(phase, Math.max(0, Math.min(total, done)), total, { first, data });
      }
    };
    await Promise.all(Array.from({ length: this.#parts.tasksMost }, work));
  }

  async #finish(
    prepared: PreparedMatch,
    { confidences }: Verification,
    written: WrittenRows,
  ): Promise<void> {
    const { table, meter } = this.#parts;
    const { id, createdBy } = this.#match;
    if (!(await table.finish(id, written))) throw new MatchEnded();
    const [left, right] = [prepared.left.starts.length - 1, prepared.right.starts.length - 1];
    let verified = 0;
    for (const confidence of confidences) if (confidence !== unverified) verified++;
    meter(createdBy, 'match.pairs', left * right);
    meter(createdBy, 'match.embeddings', left + right);
    meter(createdBy, 'match.verifications', verified);
  }

  async #advance(phase: Phase, done: number, total: number, chunk?: StoredChunk): Promise<void> {
    this.#signal.throwIfAborted();
    const step = { phase, done, total, progress: progressAt(phase, done, total) };
    if (!(await this.#parts.table.advance(this.#match.id, step, chunk))) throw new MatchEnded();
  }

  #pooled<Name extends TaskName>(name: Name, payload: Payload<Name>): Promise<Result<Name>> {
    const options = { timeoutMilliseconds: taskMilliseconds, signal: this.#signal };
    return this.#parts.pool.run(name, payload, options);
  }
}
