import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { OperationParts } from '../../server/state/merge/parts.ts';
import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import { formatOperation, propertyOperation } from '../support/look-operations.ts';
import { MergeDriver, type MergeOutcome } from '../support/merge-driver.ts';
import { lineOperation, recordOperation } from '../support/noted-operations.ts';
import { anyOperation, nameOperation } from '../support/operation-history.ts';
import { drive, type StateDriver } from '../support/state-driver.ts';
import { tableOperation } from '../support/table-operations.ts';
import { testSeed } from '../support/test-seed.ts';
import { contentDifference, contentOf } from '../support/undo-driver.ts';

// Laws of versioning: two random histories of one base, merged.

const formulas = new Formulas();

type Operation = { kind: string; payload: object };

const families: Record<string, fc.Arbitrary<Operation>> = {
  everything: fc.oneof(
    { weight: 6, arbitrary: anyOperation },
    { weight: 2, arbitrary: formatOperation },
    { weight: 2, arbitrary: propertyOperation },
    { weight: 2, arbitrary: recordOperation },
    { weight: 2, arbitrary: lineOperation },
    { weight: 1, arbitrary: nameOperation },
  ),
  lines: fc.oneof({ weight: 1, arbitrary: lineOperation }, { weight: 2, arbitrary: anyOperation }),
  tables: fc.oneof(
    { weight: 4, arbitrary: tableOperation },
    { weight: 1, arbitrary: lineOperation },
  ),
  records: fc.oneof(
    { weight: 3, arbitrary: recordOperation },
    { weight: 1, arbitrary: lineOperation },
  ),
};

interface Histories {
  readonly base: readonly Operation[];
  readonly ours: readonly Operation[];
  readonly theirs: readonly Operation[];
}

function start(driver: StateDriver): void {
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2' });
  const columns = [{ name: 'k' }, { name: 'v' }, { name: 'x', formula: '=[@v]*One!$A$2+tax' }];
  driver.apply('table.create', {
    name: 'Sales',
    keyColumn: 'k',
    schema: { columns },
    sheetRange: 'Two!B3:D6',
  });
  driver.apply('cells.set', {
    cells: [
      { a1: 'One!C1', input: '=SUM(Sales[v])+SUM(A3:B5)' },
      { a1: 'One!C2', input: '=Two!C4&tax' },
    ],
  });
}

function play({ base, ours, theirs }: Histories): MergeDriver {
  const run = (driver: StateDriver, operations: readonly Operation[]) => {
    for (const { kind, payload } of operations) driver.submit(kind, payload);
  };
  const driver = new MergeDriver(formulas, (first) => {
    start(first);
    run(first, base);
  });
  run(driver.ours, ours);
  run(driver.theirs, theirs);
  return driver;
}

/** Undefined when what would be written cannot be: then nobody is told that it was. */
function merged(merge: () => MergeOutcome): MergeOutcome | undefined {
  try {
    return merge();
  } catch (error) {
    if (error instanceof Error && error.cause instanceof Rejection) return undefined;
    throw error;
  }
}

function hashOf(state: BranchState): string {
  return drive(state.stateHash());
}

function same(a: BranchState, b: BranchState, what: string): void {
  const difference = contentDifference(contentOf(a), contentOf(b));
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}

/** What only one side did is taken whole. */
function checkOneSided(histories: Histories): void {
  const ahead = play({ ...histories, ours: [] });
  const outcome = merged(() => ahead.merge());
  if (!outcome) return;
  if (outcome.conflicts.length > 0) throw new Error('conflicts with nobody');
  same(outcome.driver.state, ahead.theirs.state, 'a fast-forward is the source');
  const back = ahead.mirror();
  if (back.parts.length > 0) throw new Error('there was nothing to merge');
}

/** Both directions contest the same. */
function checkSymmetry(histories: Histories): void {
  const driver = play(histories);
  const [outcome, mirrored] = [merged(() => driver.merge()), merged(() => driver.mirror())];
  if (!outcome || !mirrored) return;
  // Lines that both sides moved, and formulas that go along, may count as moved by one of them.
  const ids = ({ conflicts }: MergeOutcome) =>
    conflicts
      .filter(({ contest }) => contest.kind === 'cell.value' && isPlain(contest.sides()))
      .map(({ id, contest }) => `${id} ${contest.text}`)
      .sort();
  const [one, other] = [ids(outcome), ids(mirrored)];
  if (String(one.map(first)) !== String(other.map(first))) {
    throw new Error(`contested here: ${one.join('; ')}, and there: ${other.join('; ')}`);
  }
}

function isPlain(sides: object): boolean {
  return !Object.values(sides).some((side) => typeof side === 'string' && side.startsWith('='));
}

function first(text: string): string {
  return text.split(' ')[0] ?? '';
}

/** The record is all that a replay needs, and merging again finds nothing to do. */
function checkReplay(histories: Histories): void {
  const driver = play(histories);
  const outcome = merged(() => driver.merge({ otherwise: 'theirs' }));
  if (!outcome) return;
  const state = driver.ours.state.fork();
  state.begin();
  const parts = new OperationParts(state);
  const journalled = JSON.parse(JSON.stringify(outcome.parts)) as typeof outcome.parts;
  for (const part of journalled) drive(parts.add(part));
  if (hashOf(state) !== hashOf(outcome.driver.state)) throw new Error('a replay leads elsewhere');
}

const laws = { checkOneSided, checkSymmetry, checkReplay };

for (const [name, operation] of Object.entries(families)) {
  const steps = (maxLength: number) => fc.array(operation, { maxLength });
  const histories = fc.record({ base: steps(6), ours: steps(8), theirs: steps(8) });
  for (const [index, [law, check]] of Object.entries(laws).entries()) {
    t.test(`${name}: ${law}`, async (t) => {
      let caseNumber = 0;
      const counted = (played: Histories) => {
        caseNumber++;
        check(played);
      };
      const options = { numRuns: caseCount(60), seed: testSeed + index };
      t.doesNotThrow(() => fc.assert(fc.property(histories, counted), options));
      t.ok(caseNumber > 0);
    });
  }
}
