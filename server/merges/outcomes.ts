import { LRUCache } from 'lru-cache';

import type { Policies } from '../branches/policies.ts';
import { inTime } from '../model/deadline.ts';
import {
  digestOf,
  mergeInput,
  type KeptOutcome,
  type MergeComputer,
  type MergeInput,
  type MergeOutcome,
} from './merge-computer.ts';
import { Effects, type EffectParts } from './findings/effects.ts';
import { findFindings, wantsEffects, type Findings } from './findings/findings.ts';
import type { Look, OpenLook } from './look.ts';
import type { MergeTable } from './sql.ts';
import { placeOf } from './side-values.ts';
import { standingOf } from './standing.ts';

export interface OutcomeParts extends EffectParts {
  readonly table: MergeTable;
  readonly policies: Policies;
  readonly computer: MergeComputer;
}

/** Limits on kept outcomes, which hold states: a few, while somebody works on a merge. */
const keptOutcomes = { count: 8, lifeMilliseconds: 300_000 };

/** Outcomes of open merges, with their findings. */
export class MergeOutcomes {
  readonly #parts: OutcomeParts;
  /** Latest outcomes by id of the merge. */
  readonly #outcomes: LRUCache<string, KeptOutcome>;
  /** Outcomes that are being computed, by all that they depend on. */
  readonly #running = new Map<string, Promise<MergeOutcome>>();
  readonly #findingParts: Parameters<typeof findFindings>[1];
  readonly #findings = new WeakMap<MergeOutcome, Promise<Findings>>();

  constructor(parts: OutcomeParts) {
    this.#parts = parts;
    this.#findingParts = { effects: new Effects(parts), environment: parts.environment };
    const clock = { perf: { now: () => parts.environment.now() }, ttlResolution: 0 };
    const { count: max, lifeMilliseconds: ttl } = keptOutcomes;
    this.#outcomes = new LRUCache({ max, ttl, ...clock });
  }

  /**
   * Returns an open merge with its outcome, which is computed once for the same positions and
   * choices; undefined if that takes longer than the wait.
   */
  async of(found: Omit<Look, 'policy'>, waitSeconds?: number): Promise<OpenLook | undefined> {
    const { record } = found;
    const policy = await this.#parts.policies.policyOf(record.workbookId);
    const input = mergeInput(found, policy);
    const { target, source, choices, units, owners, request } = input;
    const key = digestOf([target, source, units, request.grouping, policy.merge, owners]);
    const held = this.#outcomes.get(record.id);
    const isHeld = held?.key === key && held.choices === choices;
    const known = isHeld ? held : { key, choices, outcome: this.#compute(input) };
    this.#outcomes.set(record.id, known);
    try {
      const outcome = await this.#waitFor(known.outcome, waitSeconds);
      if (!outcome) return undefined;
      const findings = this.#findingsOf({ ...input, outcome });
      const standing = await standingOf(found, policy, this.#parts.table);
      return { ...found, policy, outcome, findings, isOutdated: false, standing };
    } catch (error) {
      if (this.#outcomes.get(record.id) === known) this.#outcomes.delete(record.id);
      throw error;
    }
  }

  #waitFor(outcome: Promise<MergeOutcome>, waitSeconds: number | undefined) {
    if (waitSeconds === undefined) return outcome;
    const { environment } = this.#parts;
    return inTime(outcome, { environment, milliseconds: waitSeconds * 1000 });
  }

  /** Computes an outcome, or joins in where the same is being computed for somebody else. */
  #compute(input: MergeInput): Promise<MergeOutcome> {
    const { workbookId, target, source, bases, request, choices, units, policy, owners } = input;
    const { strategy, granularity, grouping } = request;
    const sides = [workbookId, target, source, bases];
    const wishes = [strategy, granularity, grouping, [...choices], units, policy, owners];
    const key = digestOf([sides, wishes]);
    const running = this.#running.get(key);
    if (running) return running;
    const computing = this.#begin(input, key).finally(() => this.#running.delete(key));
    this.#running.set(key, computing);
    return computing;
  }

  /** Computes an outcome, and starts evaluating values if effects will be looked for. */
  #begin(input: MergeInput, key: string): Promise<MergeOutcome> {
    const { computer, models } = this.#parts;
    const { workbookId, target, source, bases, policy } = input;
    const isOneSided = [target, source].some(({ no, seq }) =>
      bases.some((base) => base.no === no && base.seq === seq),
    );
    if (isOneSided || !wantsEffects(policy)) return computer.compute(input);
    // The search for effects uses the same model and reports its faults.
    void Promise.allSettled([models.prepare(placeOf(workbookId, target))]);
    return computer.compute(input, (outcome) => {
      this.#findingParts.effects.begin({ workbookId, target, source, outcome }, key);
    });
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
