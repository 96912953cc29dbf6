import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { mergeView, type MergeState } from './merge-view.ts';
import type { Look, OpenLook } from './look.ts';
import type { Merges } from './merges.ts';

/** Longest wait of a list for the states of its merges. */
const waitMilliseconds = 2_000;

/** The states of the open merges of a list: `computing` for one that is not found out in time. */
export async function listedStates(
  looks: readonly Omit<Look, 'policy'>[],
  { merges, environment }: { merges: Merges; environment: Pick<Environment, 'now'> },
): Promise<readonly (MergeState | undefined)[]> {
  const deadline = environment.now() + waitMilliseconds;
  const states: (MergeState | undefined)[] = [];
  for (const { record } of looks) {
    const leftSeconds = (deadline - environment.now()) / 1000;
    const isAsked = record.state === 'open' && leftSeconds > 0;
    const look = isAsked ? await current(merges, record) : undefined;
    states.push(look && (await stateOf(look, { merges, leftSeconds })));
  }
  return states;
}

async function stateOf(
  look: Look | OpenLook,
  { merges, leftSeconds }: { merges: Merges; leftSeconds: number },
): Promise<MergeState> {
  if (!('outcome' in look)) return mergeView(look).state;
  return mergeView(look, await merges.soon(look, leftSeconds)).state;
}

/**
 * Returns the merge as it is now. A merge that cannot be computed fails when it is asked for by
 * itself, and does not spoil the list.
 */
async function current(
  merges: Merges,
  { workbookId, id }: Look['record'],
): Promise<Look | OpenLook | undefined> {
  try {
    return await merges.get(workbookId, id);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
