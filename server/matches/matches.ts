import type { Branches } from '../branches/branches.ts';
import { readReference } from '../branches/place.ts';
import type { Jobs, JobQueue, JobRun } from '../jobs/jobs.ts';
import { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { makeId } from '../model/identifier.ts';
import { Repetition } from '../model/repetition.ts';
import type { Principal } from '../model/scope.ts';
import type { Decision } from '../../workers/matching/options.ts';
import { checkSize, findColumn, settleSide } from './columns.ts';
import { isFinished, matchLimits, type MatchRecord, type MatchRequest } from './match.ts';
import { algorithmOf, readOptions } from './options.ts';
import { ProviderFault } from './providers/fault.ts';
import { MatchRunner, type RunnerParts } from './runner.ts';
import { MatchEnded } from './tasks.ts';
import { readSides, type AskedSide } from './sides.ts';
import type { KeyPair } from './sql.ts';
import { pairTaken, type TakenRow } from './taken-rows.ts';

export interface MatchesParts extends RunnerParts {
  readonly jobs: Jobs;
  readonly branches: Pick<Branches, 'locate' | 'stateAt'>;
  /** Whose matches a workbook's are. */
  readonly ownerOf: (workbookId: string) => Promise<string>;
  readonly report: (step: string, error: unknown) => void;
}

export interface AskedMatch {
  readonly branch?: string | undefined;
  readonly left: AskedSide;
  readonly right: AskedSide;
  readonly opts?: Readonly<Record<string, unknown>> | undefined;
}

export const matchQueue = 'match';
const expireSeconds = 3600;
/** Matches that nobody asks about go on all the same. */
const lookMilliseconds = 2000;
const expireLooks = 1800;
const pairsPerSecond = 2e8;

/** Matches: each is done once, by any process, and goes on wherever its worker died. */
export class Matches {
  readonly #parts: MatchesParts;
  readonly #looking: Repetition;
  #looks = 0;
  /** Endings of the matches that run here, by their workbook. */
  readonly #running = new Map<string, Set<AbortController>>();
  /** Due ones are being offered, and somebody asked for that since it began. */
  #isDispatching = false;
  #isDueAgain = false;

  constructor(parts: MatchesParts) {
    this.#parts = parts;
    const { environment, report } = parts;
    this.#looking = new Repetition({
      environment,
      restMilliseconds: lookMilliseconds,
      step: 'look for unfinished matches',
      pass: () => this.#look(),
      report,
    });
  }

  /** For whoever takes jobs. */
  get queue(): JobQueue {
    const work = (data: unknown, run: JobRun): Promise<void> =>
      this.#work(data as { workbookId: string; id: string }, run);
    return { retryLimit: matchLimits.attempts, expireInSeconds: expireSeconds, work };
  }

  start(): void {
    this.#looking.start();
  }

  /** Drops the matches of a purged workbook: no text of it is sent anywhere any more. */
  forget(workbookId: string): void {
    for (const ending of this.#running.get(workbookId) ?? []) ending.abort();
  }

  async stop(): Promise<void> {
    await this.#looking.stop();
    await this.#parts.providers.stop();
  }

  /** Settles the position at once, and has somebody work on it. */
  async create(workbookId: string, asked: AskedMatch, { userId }: Principal): Promise<MatchRecord> {
    const { branches, table, environment, ownerOf, meter, providers } = this.#parts;
    const [left, right] = readSides(asked.left, asked.right);
    const opts = readOptions(asked.opts ?? {}, providers);
    const place = await branches.locate(
      workbookId,
      readReference(asked.branch ?? 'main', '/branch'),
    );
    const state = await branches.stateAt(place.address, place.seq);
    const request: MatchRequest = {
      left: settleSide(state, left, '/left'),
      right: settleSide(state, right, '/right'),
      opts,
    };
    const { aliases } = opts;
    if (aliases) {
      const { tableId, from, to } = aliases;
      for (const [name, column] of Object.entries({ from, to })) {
        const places = { table: '/opts/aliases', at: `/opts/aliases/${name}` };
        checkSize(findColumn(state, { tableId, column }, places), places.table);
      }
    }
    const match = {
      id: makeId('mat_', environment),
      workbookId,
      createdBy: userId,
      ownerId: await ownerOf(workbookId),
      branch: place.branch,
      branchNo: place.address.branchNo,
      seq: place.seq,
      request,
      algo: algorithmOf(opts, providers),
    };
    if (!(await table.create(match))) throw tooMany();
    meter(userId, 'matches', 1);
    this.#dispatch();
    return this.get(workbookId, match.id);
  }

  async get(workbookId: string, id: string): Promise<MatchRecord> {
    const match = await this.#parts.table.find(workbookId, id);
    if (match) return match;
    throw new Failure('matchNotFound', {
      detail: `The workbook has no match ${id}.`,
      hint: 'GET …/matches lists them; a match goes 30 days after it has ended.',
    });
  }

  /** Works as `get`, once the match has ended or after some time. */
  async wait(workbookId: string, id: string, seconds: number): Promise<MatchRecord> {
    const { jobs, environment } = this.#parts;
    const deadline = environment.elapsed() + seconds * 1000;
    for (;;) {
      const match = await this.get(workbookId, id);
      const left = deadline - environment.elapsed();
      if (isFinished(match.status) || left <= 0) return match;
      await jobs.wait(keyOf(id), Math.min(left, lookMilliseconds));
    }
  }

  /** Ends one that has not ended; again and again is the same. */
  async cancel(workbookId: string, id: string): Promise<MatchRecord> {
    const { table, jobs } = this.#parts;
    const match = await this.get(workbookId, id);
    if (isFinished(match.status)) return match;
    await table.cancel(id);
    await jobs.cancel({ queue: matchQueue, key: keyOf(id) });
    this.#dispatch();
    return this.get(workbookId, id);
  }

  /** Writes down what a person decided about pairs of a result. */
  async decide(
    workbookId: string,
    id: string,
    decisions: readonly { leftKey: unknown; rightKey: unknown; decision: Decision }[],
  ): Promise<MatchRecord> {
    const { assignment } = this.done(await this.get(workbookId, id)).request.opts;
    const pairs = decisions.map(({ leftKey, rightKey, decision }): KeyPair => ({
      left: JSON.stringify(leftKey),
      right: JSON.stringify(rightKey),
      decision,
    }));
    const undecided = await this.#parts.table.decide(id, pairs, assignment);
    if (!undecided) return this.get(workbookId, id);
    const { missing, taken } = undecided;
    if (taken.length > 0) {
      const pointerOf = (row: TakenRow) => `/decisions/${placeIn(pairs, row)}`;
      throw pairTaken(taken, { assignment, pointerOf });
    }
    throw new Failure('pairNotFound', {
      detail: `${missing.length} of the pairs are not rows of this match; nothing was decided.`,
      hint: `GET …/matches/${id} has leftKey and rightKey of every row: a number is not its text.`,
      errors: missing.slice(0, 20).map((place) => ({
        pointer: `/decisions/${place}`,
        code: 'pair_not_found',
        message: 'no row has these keys',
      })),
    });
  }

  /** The match, if it has a result. */
  done(match: MatchRecord): MatchRecord {
    if (match.status === 'done') return match;
    throw new Failure('matchNotDone', {
      detail: `The match is ${match.status}.`,
      hint: isFinished(match.status)
        ? 'Create another one: POST …/matches.'
        : `Ask GET …/matches/${match.id} until its status is done.`,
    });
  }

  #dispatch(): void {
    if (this.#isDispatching) {
      this.#isDueAgain = true;
      return;
    }
    this.#isDispatching = true;
    this.#offerDue()
      .catch((error: unknown) => this.#parts.report('offer a match', error))
      .finally(() => {
        this.#isDispatching = false;
        if (!this.#isDueAgain) return;
        this.#isDueAgain = false;
        this.#dispatch();
      });
  }

  async #look(): Promise<void> {
    if (this.#looks++ % expireLooks === 0) {
      await this.#parts.table.expire();
      await this.#parts.providers.table.expire();
    }
    await this.#offerDue();
  }

  async #offerDue(): Promise<void> {
    const { table, jobs } = this.#parts;
    for (const { id, workbookId, ownerId } of await table.due()) {
      const data = { workbookId, id };
      const job = { queue: matchQueue, key: keyOf(id), data, tenant: ownerId };
      const match = await table.find(workbookId, id);
      const size = match?.sides ? match.sides.left.distinct * match.sides.right.distinct : 0;
      await jobs.ensure({ ...job, seconds: Math.max(1, size / pairsPerSecond) });
    }
  }

  async #work({ workbookId, id }: { workbookId: string; id: string }, run: JobRun): Promise<void> {
    const { table } = this.#parts;
    const match = await table.claim(workbookId, id);
    if (!match) return;
    const purged = new AbortController();
    const endings = this.#running.get(workbookId) ?? new Set();
    this.#running.set(workbookId, endings.add(purged));
    try {
      if (match.attempts > matchLimits.attempts + 1) throw new Error('it was tried too often');
      const signal = AbortSignal.any([run.signal, purged.signal]);
      await new MatchRunner(this.#parts, match, { ...run, signal }).run();
    } catch (error) {
      if (error instanceof MatchEnded || purged.signal.aborted) return;
      run.signal.throwIfAborted();
      if (error instanceof Failure) {
        const { code, detail: message, hint = startingAgain(workbookId) } = error;
        await table.fail(id, { code, message, hint });
      } else if (error instanceof ProviderFault) {
        const hint = `${startingAgain(workbookId)} GET /v1/match-providers lists other providers.`;
        await table.fail(id, { code: error.code, message: error.message, hint });
      } else if (match.attempts > matchLimits.attempts) {
        const message = 'Every attempt ended before its time.';
        await table.fail(id, { code: 'worker_lost', message, hint: startingAgain(workbookId) });
        this.#parts.report('match columns', error);
      } else throw error;
    } finally {
      endings.delete(purged);
      if (endings.size === 0) this.#running.delete(workbookId);
      this.#dispatch();
    }
  }
}

function startingAgain(workbookId: string): string {
  return `Start it again: POST /v1/workbooks/${workbookId}/matches.`;
}

/** The last decision that accepts one of the pairs of a row. */
function placeIn(decided: readonly KeyPair[], { pairs }: TakenRow): number {
  return decided.findLastIndex(({ left, right, decision }) => {
    return decision === 'accept' && pairs.some((one) => one.left === left && one.right === right);
  });
}

function keyOf(id: string): Buffer {
  return Buffer.from(`match ${id}`);
}

function tooMany(): Failure {
  const { runningPerAccount, queuedPerAccount } = matchLimits;
  return limitReached('tooManyMatches', {
    detail: `An account has at most ${runningPerAccount} matches running and ${queuedPerAccount} waiting.`,
    hint: 'Wait for one to end, or cancel one: DELETE …/matches/{mid}.',
    quota: { name: 'matches', most: runningPerAccount + queuedPerAccount },
    waitSeconds: 5,
  });
}
