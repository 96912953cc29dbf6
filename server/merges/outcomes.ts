import { LRUCache } from 'lru-cache';

import type { Policies } from '../branches/policies.ts';
import { inTime } from '../model/deadline.ts';
import { SharedWork } from '../model/shared-work.ts';
import {
  digestOf,
  mergeInput,
  type MergeComputer,
  type MergedStates,
  type MergeInput,
  type MergeOutcome,
} from './merge-computer.ts';
import { Effects, type EffectParts } from './findings/effects.ts';
import { findFindings, wantsEffects, type Findings } from './findings/findings.ts';
import type { FoundMerge, Look, OpenLook, Waiting } from './look.ts';
import type { MergeFinder } from './merge-finder.ts';
import type { MergeTable } from './sql.ts';
import { placeOf } from './side-values.ts';
import { standingOf } from './standing.ts';

export interface OutcomeParts extends EffectParts {
  readonly table: MergeTable;
  readonly policies: Policies;
  readonly computer: MergeComputer;
  readonly finder: MergeFinder;
}

/** A kept outcome, and the input it was computed from. */
interface KeptOutcome {
  readonly key: string;
  /** Choices of the input; the same object until a choice changes. */
  readonly choices: MergeInput['choices'];
  readonly work: SharedWork<MergeOutcome>;
}

/** Limits on kept outcomes, which hold states: a few, while somebody works on a merge. */
const keptOutcomes = { count: 8, lifeMilliseconds: 300_000 };

/** Outcomes of open merges, with their findings. */
export class MergeOutcomes {
  readonly #parts: OutcomeParts;
  /** Latest outcomes by id of the merge. */
  readonly #outcomes: LRUCache<string, KeptOutcome>;
  /** Outcomes that are being computed, by all that they depend on. */
  readonly #running = new Map<string, SharedWork<MergeOutcome>>();
  readonly #findingParts: Parameters<typeof findFindings>[1];
  readonly #findings = new WeakMap<MergeOutcome, Promise<Findings>>();

  constructor(parts: OutcomeParts) {
    this.#parts = parts;
    this.#findingParts = { effects: new Effects(parts), environment: parts.environment };
    const clock = { perf: { now: () => parts.environment.elapsed() }, ttlResolution: 0 };
    const { count: max, lifeMilliseconds: ttl } = keptOutcomes;
    this.#outcomes = new LRUCache({ max, ttl, ...clock });
  }

  /** Returns an open merge with its outcome, or without if that takes longer than the wait. */
  async look(found: FoundMerge, waiting?: Waiting): Promise<Look | OpenLook> {
    return (await this.#of(found, waiting)) ?? this.#parts.finder.closed(found);
  }

  /**
   * Returns an open merge with its outcome, which is computed once for the same positions and
   * choices, and given up when all who waited for it have gone; undefined if it takes longer than
   * the wait.
   */
  async #of(found: FoundMerge, waiting: Waiting = {}): Promise<OpenLook | undefined> {
    const { record } = found;
    const policy = await this.#parts.policies.policyOf(record.workbookId);
    const input = mergeInput(found, policy);
    const { target, source, choices, units, owners, request } = input;
    const key = digestOf([target, source, units, request.grouping, policy.merge, owners]);
    const held = this.#outcomes.get(record.id);
    const isHeld = held?.key === key && held.choices === choices && !held.work.isGivenUp;
    const known = isHeld ? held : { key, choices, work: this.#compute(input) };
    if (!isHeld) this.#keep(record.id, known);
    const outcome = await this.#waitFor(known.work, waiting);
    if (!outcome) return undefined;
    const findings = this.#findingsOf({ ...input, outcome });
    const standing = await standingOf(found, policy, this.#parts.table);
    return { ...found, policy, outcome, findings, isOutdated: false, standing };
  }

  #keep(id: string, known: KeptOutcome): void {
    this.#outcomes.set(id, known);
    // A failure reaches those who wait; the next request tries again.
    known.work.whenEnded((isDone) => {
      if (!isDone && this.#outcomes.get(id) === known) this.#outcomes.delete(id);
    });
  }

  #waitFor(work: SharedWork<MergeOutcome>, { waitSeconds, signal }: Waiting) {
    const outcome = work.wait(signal);
    if (waitSeconds === undefined) return outcome;
    const { environment } = this.#parts;
    return inTime(outcome, { environment, milliseconds: waitSeconds * 1000 });
  }

  /** Computes an outcome, or joins in where the same is being computed for somebody else. */
  #compute(input: MergeInput): SharedWork<MergeOutcome> {
    const { workbookId, target, source, bases, request, choices, units, policy, owners } = input;
    const { strategy, granularity, grouping } = request;
    const sides = [workbookId, target, source, bases];
    const wishes = [strategy, granularity, grouping, [...choices], units, policy, owners];
    const key = digestOf([sides, wishes]);
    const running = this.#running.get(key);
    if (running && !running.isGivenUp) return running;
    const work = new SharedWork((signal) => this.#begin(input, { key, signal }));
    this.#running.set(key, work);
    work.whenEnded(() => {
      if (this.#running.get(key) === work) this.#running.delete(key);
    });
    return work;
  }

  /** Computes an outcome, and starts evaluating values if effects will be looked for. */
  #begin(
    input: MergeInput,
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<MergeOutcome> {
    const { computer, models } = this.#parts;
    const { workbookId, target, source, bases, policy } = input;
    const isOneSided = [target, source].some(({ no, seq }) =>
      bases.some((base) => base.no === no && base.seq === seq),
    );
    if (isOneSided || !wantsEffects(policy)) return computer.compute(input, { signal });
    // The search for effects uses the same model and reports its faults.
    void Promise.allSettled([models.prepare(placeOf(workbookId, target))]);
    const whenMerged = (outcome: MergedStates): void => {
      this.#findingParts.effects.begin({ workbookId, target, source, outcome }, key);
    };
    return computer.compute(input, { signal, whenMerged });
  }

  /** Finds effects and violations, once for each outcome. */
  #findingsOf(input: Parameters<typeof findFindings>[0]): Promise<Findings> {
    const { outcome } = input;
    const known = this.#findings.get(outcome);
    if (known) return known;
    const findings = findFindings(input, this.#findingParts);
    this.#findings.set(outcome, findings);
    const forget = (): void => void this.#findings.delete(outcome);
    // A failure reaches those who wait; the next request tries again.
    findings.then(({ isPassing }) => (isPassing === true ? forget() : undefined), forget);
    return findings;
  }
}
