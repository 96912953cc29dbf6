import { LRUCache } from 'lru-cache';

import type { Policies } from '../branches/policies.ts';
import { inTime } from '../model/deadline.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Policy } from '../model/policy.ts';
import { digestOf } from './merge-computer.ts';
import { mergeView, type MergeState } from './merge-view.ts';
import type { Look, OpenLook } from './look.ts';
import type { Merges } from './merges.ts';

interface ListedStateParts {
  readonly merges: Pick<Merges, 'get' | 'soon'>;
  readonly policies: Pick<Policies, 'policyOf'>;
  readonly environment: Environment;
}

type Listed = Omit<Look, 'policy'>;

interface KnownState {
  /** Text of everything on which the state depends. */
  readonly mark: string;
  readonly state: MergeState;
}

/** Longest wait of a list for the states of its merges. */
const waitMilliseconds = 2_000;
const knownMost = 10_000;

/**
 * Computes states for lists of open merges. A state is kept until the merge, one of its branches or
 * the policy changes, so that even a long list is computed after a few requests.
 */
export class ListedStates {
  readonly #parts: ListedStateParts;
  /** States by id of the merge. */
  readonly #known = new LRUCache<string, KnownState>({ max: knownMost });

  constructor(parts: ListedStateParts) {
    this.#parts = parts;
  }

  /**
   * Returns the states of merges of one workbook; undefined for those that are closed or take too
   * long.
   */
  async of(looks: readonly Listed[]): Promise<readonly (MergeState | undefined)[]> {
    const { policies, environment } = this.#parts;
    const open = looks.find(({ record }) => record.state === 'open');
    if (!open) return [];
    const policy = await policies.policyOf(open.record.workbookId);
    const deadline = environment.elapsed() + waitMilliseconds;
    const states: (MergeState | undefined)[] = [];
    for (const look of looks) {
      const isOpen = look.record.state === 'open';
      states.push(isOpen ? await this.#stateOf({ ...look, policy }, deadline) : undefined);
    }
    return states;
  }

  async #stateOf(listed: Look, deadline: number): Promise<MergeState | undefined> {
    const { environment } = this.#parts;
    const known = this.#known.get(listed.record.id);
    if (known?.mark === markOf(listed)) return known.state;
    const milliseconds = deadline - environment.elapsed();
    if (milliseconds <= 0) return undefined;
    // A merge is computed on: the next list finds it further.
    return inTime(this.#find(listed, milliseconds), { environment, milliseconds });
  }

  /** Computes a state and keeps it; the search for findings is given up after a while. */
  async #find({ record }: Look, milliseconds: number): Promise<MergeState | undefined> {
    const { merges } = this.#parts;
    const look = await current(merges, record);
    if (!look) return undefined;
    if (!('outcome' in look)) return mergeView(look).state;
    const findings = await merges.soon(look, milliseconds / 1000);
    const { state } = mergeView(look, findings);
    const isLasting = state !== 'computing' && findings?.isPassing !== true;
    if (isLasting) this.#known.set(record.id, { mark: markOf(look), state });
    return state;
  }
}

const policyMarks = new WeakMap<Policy, string>();

function markOf({ record, names, policy }: Look): string {
  const policyMark = policyMarks.get(policy) ?? digestOf([policy]);
  policyMarks.set(policy, policyMark);
  const heads = [record.sourceNo, record.targetNo].map((no) => names.headOf(no));
  return [record.revision, ...heads, policyMark].join(' ');
}

/**
 * Returns the current merge. One that cannot be computed fails only if it is read alone, so that it
 * does not spoil the list.
 */
async function current(
  merges: ListedStateParts['merges'],
  { workbookId, id }: Look['record'],
): Promise<Look | OpenLook | undefined> {
  try {
    return await merges.get(workbookId, id);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
