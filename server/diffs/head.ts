import type { ComparedStates } from './diffs.ts';

/** The members before the entries. */
export function diffHead({ from, to, relation, base, summary, values }: ComparedStates) {
  return {
    from: { branch: from.branch, seq: from.seq },
    to: { branch: to.branch, seq: to.seq },
    relation,
    base: base ? { branch: base.branch, seq: base.seq } : null,
    summary: values ? { ...summary, values: values.count } : summary,
  };
}
