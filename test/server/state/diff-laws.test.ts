import * as fc from 'fast-check';
import t from 'tap';

import type { BranchState } from '../../../server/state/branch-state.ts';
import { diffStates, type StateDiff } from '../../../server/state/diff/diff.ts';
import type { ChangedRun } from '../../../server/state/diff/run-list.ts';
import { receiveChanges } from '../../../server/state/diff/sent-changes.ts';
import { summaryOf } from '../../../server/state/diff/summary.ts';
import { DictionaryFeed } from '../../../server/state/sharing/dictionary-feed.ts';
import { shareStates } from '../../../server/state/sharing/shared-states.ts';
import { diffStates as comparedInThread } from '../../../workers/diff-states.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';
import { caseCount } from '../../support/case-count.ts';
import { anyHistory, startedBook, startedHead } from '../../support/any-history.ts';
import { submitStep } from '../../support/record-operations.ts';
import { NodeStore } from '../../support/node-store.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { contentLawFaults } from '../../support/diff-content-checks.ts';
import {
  cellLawFaults,
  editedFaults,
  mirrorFaults,
  orderLawFaults,
} from '../../support/diff-checks.ts';

const formulas = new Formulas();
const feeds = new WeakMap<object, { name: string; feed: DictionaryFeed }>();
let feedCount = 0;

function diff(from: BranchState, to: BranchState): StateDiff {
  return drive(diffStates({ from, to }));
}

/** Does as `diff`, by way of another thread that finds the changed cells. */
function threadDiff(from: BranchState, to: BranchState): StateDiff {
  const { dictionary } = from.coding;
  const known = feeds.get(dictionary);
  const { name, feed } = known ?? {
    name: `dictionary ${++feedCount}`,
    feed: new DictionaryFeed(dictionary),
  };
  feeds.set(dictionary, { name, feed });
  const { shared: states } = drive(shareStates([from.fork(), to.fork()], feed));
  const task = { dictionary: name, states, sheetId: undefined };
  const { sheets } = structuredClone(comparedInThread(structuredClone(task)));
  const cells = new Map(
    sheets.map((sent) => [sent.sheetId, drive(receiveChanges({ from, to }, sent))]),
  );
  return drive(diffStates({ from, to }, { cells }));
}

/** All cells that a diff tells, and its counts, as plain data. */
function told(found: StateDiff): unknown {
  const runOf = ({ block, ...run }: ChangedRun) => {
    const { columnId, place, fromColumn, toColumn } = block;
    return { ...run, columnId, place, fromColumn, toColumn };
  };
  const sheets = found.sheets.map(({ pair, cells, collapsed, tables }) => ({
    id: pair.id,
    cells: [...cells].map(({ run, skipped }) => ({ ...runOf(run), skipped })),
    collapsed: collapsed.map((area) => ({
      change: area.change,
      range: area.range,
      count: area.count,
      isMixed: area.isMixed,
      first: runOf(area.first),
      members: [...area.members()].map(runOf),
    })),
    tables: tables.map(({ id, rows }) => [
      id,
      rows.counts,
      rows.slice(0).map(({ read }) => read()),
    ]),
  }));
  return JSON.parse(JSON.stringify({ sheets, summary: summaryOf(found) }));
}

t.test('laws hold between any two states of a history', async (t) => {
  let count = 0;
  const cases = fc.tuple(anyHistory, fc.nat(40), fc.boolean(), fc.nat(3));
  fc.assert(
    fc.property(cases, ([steps, cut, isForked, stored]) => {
      const driver = startedBook(formulas);
      let from = driver.state.fork();
      for (const [index, [step, behind]] of steps.entries()) {
        if (index === cut % steps.length) {
          from = isForked ? driver.state.branchOff(2) : driver.state.fork();
        }
        submitStep(driver, step, { behind, since: startedHead });
      }
      if (isForked) {
        const fork = new StateDriver(formulas);
        fork.take(from);
        for (const [step] of steps.slice(0, 6)) {
          submitStep(fork, step, { behind: 0, since: from.head });
        }
        from = fork.state;
      }
      const store = new NodeStore();
      const again = (state: BranchState) => store.load(store.save(state), driver.state.coding);
      // A stored state is read when it is needed, and its formulas know their structures by hash.
      if (stored % 2 === 1) from = again(from);
      const to = stored > 1 ? again(driver.state) : driver.state;
      const faults = [
        ...cellLawFaults(diff(from, to)),
        ...cellLawFaults(diff(to, from)),
        ...editedFaults(diff(from, to)),
        ...editedFaults(diff(to, from)),
        ...contentLawFaults(diff(from, to)),
        ...contentLawFaults(diff(to, from)),
        ...orderLawFaults(diff(from, to)),
        ...mirrorFaults(diff(from, to), diff(to, from)),
      ];
      if (faults.length > 0) throw new Error(faults.join('; '));
      t.strictSame(told(threadDiff(from, to)), told(diff(from, to)), 'in another thread');
      count++;
      const same = diff(to, to.fork());
      if (same.sheets.length + same.names.length > 0) throw new Error('differs from itself');
    }),
    { numRuns: caseCount(60) },
  );
  t.ok(count >= caseCount(60), `${count} histories`);
});
