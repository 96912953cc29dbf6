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
import { joinDense, placeDense } from '../../workers/matching/dense.ts';
import { placeJudgements } from '../../workers/matching/judging.ts';
import type { PreparedMatch } from '../../workers/matching/prepared.ts';
import type { WrittenRows } from '../../workers/matching/written-rows.ts';
import type { PackedTexts } from '../../workers/matching/shared-arrays.ts';
import {
  checkCharacters,
  findColumn,
  readColumn,
  type ColumnParts,
  type ReadColumn,
} from './columns.ts';
import { embedTexts, type Embedded } from './embedding.ts';
import { judgeChunk } from './judging.ts';
import { progressAt, type MatchRecord, type Phase } from './match.ts';
import { rulesOf } from './options.ts';
import { dimensionsOf } from './providers/dimensions.ts';
import type { Judge } from './providers/judge.ts';
import type { Providers } from './providers/providers.ts';
import { columnNames, weightsOf, type MatchSide } from './sides.ts';
import type { MatchTable, StoredChunk } from './sql.ts';

export interface RunnerParts extends ColumnParts {
  readonly table: MatchTable;
  readonly pool: Pick<Pool, 'run'>;
  readonly providers: Providers;
  /** Vectors that a provider made for one workbook are used by no other. */
  readonly isCacheOwn: boolean;
  /** Tasks of one match that are under way at the same time. */
  readonly tasksMost: number;
  readonly meter: (userId: string, meter: Meter, count: number) => void;
}

type Meter = 'matches' | 'match.pairs' | 'match.embeddings' | 'match.verifications';

/** Error of work on a match that somebody else has ended meanwhile. */
export class MatchEnded extends Error {}

/** Texts of one task: some twenty milliseconds of a thread, so that others get their turns. */
const chunkTexts = 256;
const taskMilliseconds = 120_000;

/** Products of one task, and numbers of a vector: the same. */
const denseProducts = 1e9;

interface Scored {
  readonly candidates: Candidates;
  /** Candidates by their terms, where other vectors were compared. */
  readonly lexical?: Candidates;
}

interface Verified extends Verification {
  /** Words of a model. */
  readonly details: ReadonlyMap<number, string>;
}

/** A side as it is shown, by the row, and the columns that are compared. */
interface ReadSide extends ReadColumn {
  readonly columns: readonly PackedTexts[];
  readonly blocking: readonly PackedTexts[] | undefined;
}

interface Columns {
  readonly left: ReadSide;
  readonly right: ReadSide;
  readonly aliases: { readonly from: ReadColumn; readonly to: ReadColumn } | undefined;
}

/** Does one match from its first phase to its last, going on with what was kept of a run before. */
export class MatchRunner {
  readonly #parts: RunnerParts;
  readonly #match: MatchRecord;
  readonly #rules: MatchRules;
  readonly #signal: AbortSignal;
  /** Pairs that somebody should have been asked about: another match may have more luck. */
  #unanswered = 0;

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
    const embedded = await this.#embed(prepared);
    const scored = embedded
      ? await this.#scoreDense(prepared, embedded)
      : await this.#score(prepared);
    const { candidates } = scored;
    const verification = await this.#verify(prepared, scored, columns);
    await this.#advance('assigning', 0, 1);
    const written = await this.#pooled('writeRows', {
      prepared,
      rules: this.#rules,
      candidates,
      verification,
      details: verification.details,
      refused: embedded?.refused,
      matchId: id,
      left: shownSide(columns.left),
      right: shownSide(columns.right),
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
    const side = async (asked: MatchSide, pointer: string): Promise<ReadSide> => {
      const columns: ReadColumn[] = [];
      for (const name of [...columnNames(asked), ...(asked.blocking ?? [])]) {
        columns.push(await read(asked.tableId, name, pointer));
      }
      return this.#joined(columns, asked);
    };
    const { left, right, opts } = request;
    const leftSide = await side(left, '/left');
    const rightSide = this.#rules.isDedupe ? leftSide : await side(right, '/right');
    if (!opts.aliases) return { left: leftSide, right: rightSide, aliases: undefined };
    const { tableId, from, to } = opts.aliases;
    const aliases = {
      from: await read(tableId, from, '/opts/aliases'),
      to: await read(tableId, to, '/opts/aliases'),
    };
    return { left: leftSide, right: rightSide, aliases };
  }

  /** Several columns are shown as one. */
  async #joined(read: readonly ReadColumn[], side: MatchSide): Promise<ReadSide> {
    const all = read.map(({ texts }) => texts);
    const columns = all.slice(0, columnNames(side).length);
    checkCharacters(columns);
    const [first] = read;
    if (!first) throw new Error('a side has a column');
    const texts = columns.length === 1 ? first.texts : await this.#pooled('joinTexts', { columns });
    const blocking = side.blocking && all.slice(columns.length);
    return { texts, keys: first.keys, columns, blocking };
  }

  #hashOf({ left, right, aliases }: Columns): Promise<Uint8Array> {
    const { algo, request, branchNo, seq } = this.#match;
    const facts = JSON.stringify([algo, branchNo, seq, request]);
    const texts = [left, right].flatMap(({ columns, blocking = [], keys }) => [
      ...columns,
      ...blocking,
      keys,
    ]);
    if (aliases) texts.push(aliases.from.texts, aliases.to.texts);
    return this.#pooled('hashInputs', { facts, texts });
  }

  async #prepare({ left, right, aliases }: Columns): Promise<PreparedMatch> {
    const { normalise, dim } = this.#rules;
    const sideOf = ({ columns, blocking }: ReadSide) => ({ columns, blocking });
    const prepared = await this.#pooled('prepareMatch', {
      left: sideOf(left),
      right: sideOf(right),
      weights: weightsOf(this.#match.request.left),
      normalise,
      ...(dim !== undefined && { dim }),
      ...(aliases && { aliases: { from: aliases.from.texts, to: aliases.to.texts } }),
    });
    const factsOf = ({ textOf, starts, emptyCount: empty }: PreparedMatch['left']) => {
      return { rows: textOf.length, distinct: starts.length - 1, empty };
    };
    const sides = { left: factsOf(prepared.left), right: factsOf(prepared.right) };
    await this.#parts.table.noteSides(this.#match.id, sides);
    return prepared;
  }

  /** Returns undefined for `local`, which needs no vectors but those of the terms. */
  async #embed(prepared: PreparedMatch): Promise<Embedded | undefined> {
    const { providers, meter, isCacheOwn, tasksMost } = this.#parts;
    const { createdBy, workbookId, request } = this.#match;
    const embedder = providers.embedder(request.opts.provider);
    if (!embedder) {
      await this.#advance('embedding', 1, 1);
      return undefined;
    }
    const dimensions = dimensionsOf(embedder.spec, request.opts.dim);
    if (!dimensions) throw new Error('a size of vectors was checked and is not there');
    const embedded = await embedTexts(prepared, {
      embedder,
      order: {
        dimensions,
        scope: isCacheOwn ? workbookId : '',
        account: createdBy,
        meter: (count) => meter(createdBy, 'match.embeddings', count),
        signal: this.#signal,
      },
      roomCount: tasksMost,
      advance: (done, total) => this.#advance('embedding', done, total),
    });
    const { dense } = embedded;
    for (const side of ['left', 'right'] as const) {
      await this.#pooled('scaleVectors', { vectors: dense[side], dots: dense.dots, side });
    }
    return embedded;
  }

  async #scoreDense(prepared: PreparedMatch, { dense }: Embedded): Promise<Required<Scored>> {
    const candidates = this.#emptyCandidates(prepared);
    const cosines = new Float64Array(new SharedArrayBuffer(candidates.cosines.byteLength));
    const rules = this.#rules;
    const rightCount = prepared.right.starts.length - 1;
    const step = Math.max(4, Math.floor(denseProducts / (rightCount * dense.width)));
    const rooms = Array.from({ length: this.#parts.tasksMost }, (_, room) => room);
    await this.#chunked('scoring', prepared.equal.length, {
      make: async (from, to) => {
        const room = rooms.pop();
        if (room === undefined) throw new Error('more tasks than rooms');
        const parts: Uint8Array[] = [];
        for (let first = from; first < to; first += step) {
          const part = { from: first, to: Math.min(to, first + step) };
          parts.push(await this.#pooled('scoreDense', { prepared, rules, ...part, dense, room }));
        }
        rooms.push(room);
        return joinDense(parts);
      },
      place: (data, from) => placeDense(candidates, cosines, [data, from]),
    });
    return { candidates, lexical: { ...candidates, cosines } };
  }

  #emptyCandidates(prepared: PreparedMatch): Candidates {
    const total = prepared.equal.length;
    const width = candidatesOf(this.#rules);
    return {
      width,
      rows: new Uint32Array(new SharedArrayBuffer(total * width * 4)).fill(noRow),
      cosines: new Float64Array(new SharedArrayBuffer(total * width * 8)),
    };
  }

  async #score(prepared: PreparedMatch): Promise<Scored> {
    const total = prepared.equal.length;
    const candidates = this.#emptyCandidates(prepared);
    const rules = this.#rules;
    await this.#chunked('scoring', total, {
      make: (from, to) => this.#pooled('scoreChunk', { prepared, rules, from, to }),
      place: (data, from) => placeScores(candidates, data, from),
    });
    return { candidates };
  }

  async #verify(prepared: PreparedMatch, scored: Scored, columns: Columns): Promise<Verified> {
    const { candidates, lexical } = scored;
    const total = prepared.equal.length;
    const { width } = candidates;
    const details = new Map<number, string>();
    const verification: Verification = {
      confidences: new Uint32Array(new SharedArrayBuffer(total * width * 4)).fill(unverified),
      verdicts: new Uint8Array(new SharedArrayBuffer(total * width)),
    };
    const rules = this.#rules;
    if (!rules.isVerified) return { ...verification, details };
    const judge = this.#parts.providers.judge(this.#match.request.opts.verifyProvider);
    if (judge) {
      const make = await this.#judging(judge, { prepared, candidates, columns });
      await this.#chunked('verifying', total, {
        make,
        place: (data, from) => placeJudgements(verification, details, [data, from * width]),
      });
      return { ...verification, details };
    }
    const suitors = findSuitors(lexical ?? candidates, prepared.right.starts.length - 1);
    const common = { prepared, rules, candidates, suitors, lexical };
    await this.#chunked('verifying', total, {
      make: (from, to) => this.#pooled('verifyChunk', { ...common, from, to }),
      place: (data, from) => placeVerification(verification, data, from * width),
    });
    return { ...verification, details };
  }

  /** Answers how parts are judged by a model. */
  async #judging(
    judge: Judge,
    given: { prepared: PreparedMatch; candidates: Candidates; columns: Columns },
  ): Promise<(from: number, to: number) => Promise<Uint8Array>> {
    const { prepared, candidates, columns } = given;
    const { createdBy } = this.#match;
    const rules = this.#rules;
    const pairsMost = judge.spec.maxVerifyPairs;
    const planned = await this.#pooled('planJudging', { prepared, rules, candidates, pairsMost });
    const meter = (count: number): void =>
      this.#parts.meter(createdBy, 'match.verifications', count);
    const stage = {
      judge,
      order: { account: createdBy, meter, signal: this.#signal },
      prepared,
      candidates,
      columns,
      assignment: rules.assignment,
      planned,
      unanswered: () => void this.#unanswered++,
    };
    return (from, to) => judgeChunk(stage, [from, to]);
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
    if (this.#unanswered > 0) await table.noteInputs(id, undefined);
    if (!(await table.finish(id, written))) throw new MatchEnded();
    const { provider } = this.#match.request.opts;
    const [left, right] = [prepared.left.starts.length - 1, prepared.right.starts.length - 1];
    meter(createdBy, 'match.pairs', left * right);
    // Texts that were sent to others were counted then.
    if (provider === 'local') meter(createdBy, 'match.embeddings', left + right);
    if (this.#rules.isJudged) return;
    let verified = 0;
    for (const confidence of confidences) if (confidence !== unverified) verified++;
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

function shownSide({ texts, keys }: ReadSide): ReadColumn {
  return { texts, keys };
}
