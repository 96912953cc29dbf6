import type { BranchState } from '../../server/state/branch-state.ts';
import { DictionaryFeed } from '../../server/state/sharing/dictionary-feed.ts';
import { FedDictionary } from '../../server/state/sharing/fed-dictionary.ts';
import { receiveStates, shareStates } from '../../server/state/sharing/shared-states.ts';
import { drive } from './state-driver.ts';

/**
 * Returns states as another thread gets them, twice: the second time the thread has most of the
 * dictionary, and entries of its own.
 */
export function handedOver(states: readonly BranchState[]): readonly BranchState[] {
  const [first] = states;
  if (!first) return [];
  const { formulas, dictionary } = first.coding;
  const feed = new DictionaryFeed(dictionary);
  const fed = new FedDictionary(formulas);
  const over = (some: readonly BranchState[]): readonly BranchState[] =>
    drive(receiveStates(structuredClone(drive(shareStates(some, feed)).shared), fed)).states;
  over([first]);
  return over(states);
}
