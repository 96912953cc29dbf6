import type { ScenarioWishes } from './options.ts';

const changesUsually = 100;

/** Makes the body of a scenario at a position. */
export function scenarioRequest(
  { set, formulas, ranges = [], changes = changesUsually }: ScenarioWishes,
  ref: string,
) {
  return {
    ref,
    set: Object.entries(set ?? {}).map(([cell, input]) => ({ cell, input })),
    formulas: (formulas ?? []).map((one) => (typeof one === 'string' ? { formula: one } : one)),
    ranges,
    changes,
  };
}
