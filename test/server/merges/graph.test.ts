import * as fc from 'fast-check';
import t from 'tap';

import {
  Graph,
  type GraphBranch,
  type GraphMerge,
  type Position,
} from '../../../server/merges/graph.ts';
import { caseCount } from '../../support/case-count.ts';

interface Made {
  readonly graph: Graph;
  readonly heads: readonly Position[];
}

const kinds = ['write', 'fork', 'merge'] as const;
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  on: fc.nat(9),
  with: fc.nat(9),
});

/** Branches that are written to, forked and merged. */
function madeOf(
  steps: readonly { kind: (typeof kinds)[number]; on: number; with: number }[],
): Made {
  const branches: GraphBranch[] = [{ branchNo: 1, parentNo: null, forkSeq: null }];
  const merges: GraphMerge[] = [];
  const heads = [1];
  for (const { kind, ...step } of steps) {
    const on = step.on % heads.length;
    const source = step.with % heads.length;
    const [no, sourceNo] = [on + 1, source + 1];
    if (kind === 'fork') {
      heads.push(0);
      branches.push({ branchNo: heads.length, parentNo: no, forkSeq: heads[on] ?? 0 });
    } else if (kind === 'write' || no === sourceNo) {
      heads[on] = (heads[on] ?? 0) + 1;
    } else {
      const graph = new Graph(branches, merges);
      const target = { no, seq: heads[on] ?? 0 };
      const joined = graph.joined(target, { no: sourceNo, seq: heads[source] ?? 0 });
      const seq = target.seq + 1;
      heads[on] = seq;
      merges.push({ branchNo: no, seq, vector: Object.fromEntries(new Map(joined).set(no, seq)) });
    }
  }
  const graph = new Graph(branches, merges);
  return { graph, heads: heads.map((seq, at) => ({ no: at + 1, seq })) };
}

/** The common positions that no other one holds. */
function basesByDefinition(graph: Graph, a: Position, b: Position): Position[] {
  const theirs = graph.vector(b);
  const common = [...graph.vector(a)].flatMap(([no, seq]) => {
    const other = theirs.get(no);
    return other === undefined ? [] : [{ no, seq: Math.min(seq, other) }];
  });
  return common
    .filter((one) => common.every((other) => other === one || !graph.holds(other, one)))
    .sort((one, other) => one.no - other.no);
}

t.test('the bases of two branches are the common positions that no other one holds', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { graph, heads } = madeOf(steps);
      for (const a of heads) {
        for (const b of heads) {
          const expected = basesByDefinition(graph, a, b);
          const found = graph.bases(a, b);
          if (JSON.stringify(found) !== JSON.stringify(expected)) {
            throw new Error(JSON.stringify({ a, b, found, expected }));
          }
        }
      }
    }),
    { numRuns: caseCount(300) },
  );
  t.pass('for all of them');
});

class CountingGraph extends Graph {
  vectorCount = 0;

  override vector(position: Position): ReturnType<Graph['vector']> {
    this.vectorCount++;
    return super.vector(position);
  }
}

t.test('earlier merges do not make the search for a base longer', async (t) => {
  const count = 200;
  const branches: GraphBranch[] = [{ branchNo: 1, parentNo: null, forkSeq: null }];
  const merges: GraphMerge[] = [];
  const vector: Record<string, number> = { 1: 1 };
  for (let no = 2; no < count + 2; no++) {
    branches.push({ branchNo: no, parentNo: 1, forkSeq: no - 1 });
    Object.assign(vector, { [no]: 1, 1: no });
    merges.push({ branchNo: 1, seq: no, vector: { ...vector } });
  }
  const [last, next] = [count + 1, count + 2];
  branches.push({ branchNo: next, parentNo: 1, forkSeq: last });
  const graph = new CountingGraph(branches, merges);
  t.same(graph.bases({ no: 1, seq: last + 1 }, { no: next, seq: 1 }), [{ no: 1, seq: last }]);
  t.ok(graph.vectorCount < 10, `${graph.vectorCount} positions were looked at`);
});
