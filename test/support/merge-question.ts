import { defaultPolicy } from '../../server/model/policy.ts';
import type { MergeQuestion } from '../../server/state/outcome/merge-question.ts';

/** A question about a merge in which nothing was chosen, divided or moved. */
export const plainQuestion: MergeQuestion = {
  wishes: { strategy: 'none' },
  choices: new Map(),
  units: [],
  policy: defaultPolicy.merge,
  owners: [],
  terms: new Map(),
  held: new Map(),
  moves: { ours: [], theirs: [], lines: { ours: [], theirs: [] } },
};
