import type { JobRun } from '../jobs/jobs.ts';
import { unverified } from '../../workers/matching/chunks.ts';
import { type MatchRules } from '../../workers/matching/options.ts';
import type { PreparedMatch } from '../../workers/matching/prepared.ts';
import type { WrittenRows } from '../../workers/matching/written-rows.ts';
import { type ColumnParts, type ReadColumn } from './columns.ts';
import { embedTexts, type Embedded } from './embedding.ts';
import { type MatchRecord } from './match.ts';
import { rulesOf } from './options.ts';
import { dimensionsOf } from './providers/dimensions.ts';
import type { Providers } from './providers/providers.ts';
import { weightsOf } from './sides.ts';
import { MatchInputs, type Columns, type ReadSide } from './inputs.ts';
import { Scoring } from './scoring.ts';
import type { MatchTable } from './sql.ts';
import { MatchEnded, MatchTasks, type TaskParts } from './tasks.ts';
import { Verifying, type Verified, type VerifyingStage } from './verifying.ts';

export interface RunnerParts extends ColumnParts, TaskParts {
  readonly table: MatchTable;
  readonly providers: Providers;
  /** Vectors that a provider made for one workbook are used by no other. */
  readonly isCacheOwn: boolean;
  readonly meter: (userId: string, meter: Meter, count: number) => void;
}

type Meter = 'matches' | 'match.pairs' | 'match.embeddings' | 'match.verifications';

/** Does one match from its first phase to its last, going on with what was kept of a run before. */
export class MatchRunner {
  readonly #parts: RunnerParts;
  readonly #match: MatchRecord;
  readonly #rules: MatchRules;
  readonly #signal: AbortSignal;
  readonly #tasks: MatchTasks;

  constructor(parts: RunnerParts, match: MatchRecord, { signal }: JobRun) {
    this.#parts = parts;
    this.#match = match;
    this.#rules = rulesOf(match.request);
    this.#signal = signal;
    this.#tasks = new MatchTasks(parts, match.id, signal);
  }

  async run(): Promise<void> {
    const { table } = this.#parts;
    const { id, workbookId } = this.#match;
    const rules = this.#rules;
    const tasks = this.#tasks;
    await tasks.advance('reading', 0, 1);
    const inputs = new MatchInputs(this.#parts, this.#match, tasks);
    const columns = await inputs.read();
    const hash = await inputs.hashOf(columns);
    if (await table.reuse(workbookId, id, hash)) return;
    await table.noteInputs(id, hash);
    await tasks.advance('embedding', 0, 1);
    const prepared = await this.#prepare(columns);
    const embedded = await this.#embed(prepared);
    const scoring = new Scoring({ tasks, rules, prepared });
    const scored = embedded ? await scoring.dense(embedded.dense) : await scoring.lexical();
    const { candidates } = scored;
    const verified = await this.#verify({ tasks, rules, prepared, scored, columns });
    await tasks.advance('assigning', 0, 1);
    const written = await tasks.run('writeRows', {
      prepared,
      rules,
      candidates,
      verification: verified,
      details: verified.details,
      refused: embedded?.refused,
      matchId: id,
      left: shownSide(columns.left),
      right: shownSide(columns.right),
    });
    await tasks.advance('writing', 0, written.total);
    await this.#finish(prepared, verified, written);
  }

  async #prepare({ left, right, aliases }: Columns): Promise<PreparedMatch> {
    const { normalise, dim } = this.#rules;
    const sideOf = ({ columns, blocking }: ReadSide) => ({ columns, blocking });
    const prepared = await this.#tasks.run('prepareMatch', {
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
      await this.#tasks.advance('embedding', 1, 1);
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
      advance: (done, total) => this.#tasks.advance('embedding', done, total),
    });
    const { dense } = embedded;
    for (const side of ['left', 'right'] as const) {
      await this.#tasks.run('scaleVectors', { vectors: dense[side], dots: dense.dots, side });
    }
    return embedded;
  }

  async #verify(stage: VerifyingStage): Promise<Verified> {
    const { meter, providers } = this.#parts;
    const { createdBy, request } = this.#match;
    const verifying = new Verifying(stage);
    if (!this.#rules.isVerified) return verifying.result;
    const judge = providers.judge(request.opts.verifyProvider);
    if (judge) {
      const order = {
        account: createdBy,
        meter: (count: number): void => meter(createdBy, 'match.verifications', count),
        signal: this.#signal,
      };
      await verifying.byModel({ judge, order });
    } else await verifying.byRules();
    return verifying.result;
  }

  async #finish(
    prepared: PreparedMatch,
    { confidences, unanswered }: Verified,
    written: WrittenRows,
  ): Promise<void> {
    const { table, meter } = this.#parts;
    const { id, createdBy } = this.#match;
    if (unanswered > 0) await table.noteInputs(id, undefined);
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
}

function shownSide({ texts, keys }: ReadSide): ReadColumn {
  return { texts, keys };
}
