import t from 'tap';

import type { BranchState } from '../../server/state/branch-state.ts';
import { receiveOutcome } from '../../server/state/outcome/sent-outcome.ts';
import type { Choices } from '../../server/state/outcome/stored-choice.ts';
import { wholeOutcome, type WholeOutcome } from '../../server/state/outcome/whole-outcome.ts';
import { DictionaryFeed } from '../../server/state/sharing/dictionary-feed.ts';
import { shareStates } from '../../server/state/sharing/shared-states.ts';
import { Formulas } from '../../workers/formulas.ts';
import { mergeStates, type MergeAnswer } from '../../workers/merge-states.ts';
import { MergeDriver } from '../support/merge-driver.ts';
import { plainQuestion as question } from '../support/merge-question.ts';
import { drive } from '../support/state-driver.ts';

/** Two branches that contest cells of every kind, beside changes of one side. */
function contested(): MergeDriver {
  const driver = new MergeDriver(new Formulas(), (base) => {
    base.apply('sheet.add', { name: 'Plan' });
    base.apply('range.set', { sheet: 'Plan', range: 'A1', inputs: [[1, 'a', '=A1*2', true]] });
    base.apply('format.set', { sheet: 'Plan', range: 'A1', style: { numberFormat: '0.00' } });
  });
  const write = (side: 'ours' | 'theirs', inputs: readonly unknown[]) =>
    driver[side].apply('range.set', { sheet: 'Plan', range: 'A1', inputs: [inputs] });
  write('ours', [2, 'b', '=A1*3', false]);
  write('theirs', [3, 'c', '=A1*4', null]);
  driver.theirs.apply('note.set', { sheet: 'Plan', a1: 'F2', text: 'a note' });
  return driver;
}

interface Sides {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

function sidesOf({ base, ours, theirs }: MergeDriver): Sides {
  return { base: base.state.fork(), ours: ours.state.fork(), theirs: theirs.state.fork() };
}

/** Does the task as a thread does that is sent nothing but what can be sent. */
function inThread({ base, ours, theirs }: Sides, feed: DictionaryFeed, choices: Choices) {
  const { shared, noteDigests } = drive(shareStates([base, ours, theirs], feed));
  const task = { dictionary: 'one', states: shared, question, choices };
  const answer: MergeAnswer = structuredClone(mergeStates(structuredClone(task)));
  return { answer, noteDigests };
}

/** All of an outcome as plain data, with the sides of its conflicts. */
function told({ judged, ...rest }: WholeOutcome): unknown {
  const conflicts = [...judged.values()].map(({ id, contest, sides, choice }) => {
    const { sides: read, ...plain } = contest;
    return { id, choice, contest: plain, values: read(), digest: sides.read() };
  });
  return JSON.parse(JSON.stringify({ ...rest, conflicts }));
}

t.test('a thread tells of a merge what this one would', (t) => {
  const sides = sidesOf(contested());
  const feed = new DictionaryFeed(sides.ours.coding.dictionary);
  const local = told(drive(wholeOutcome(sides, question, new Map())));
  for (const time of ['at first', 'with a dictionary that it knows']) {
    const { answer } = inThread(sides, feed, new Map());
    if (!('pieces' in answer)) throw new Error('it was rejected');
    t.strictSame(told(drive(receiveOutcome(answer.pieces))), local, time);
  }
  t.equal((local as { conflicts: readonly unknown[] }).conflicts.length, 3);
  t.end();
});

t.test('the digests that it finds are those of this thread', (t) => {
  const sides = sidesOf(contested());
  const digests = (): unknown[] =>
    [sides.base, sides.ours, sides.theirs].flatMap((state) =>
      state.structure.sheets.flatMap((sheet) =>
        [...state.cellsOf(sheet).blocks()].map(({ block }) => block.digest?.toString('hex')),
      ),
    );
  const { answer, noteDigests } = inThread(
    sides,
    new DictionaryFeed(sides.ours.coding.dictionary),
    new Map(),
  );
  t.ok(digests().every((digest) => digest === undefined));
  if ('found' in answer) noteDigests(answer.found);
  const found = digests();
  t.ok(
    found.some((digest) => digest !== undefined),
    'it says what it found',
  );
  const hashed = sidesOf(contested());
  for (const state of [hashed.base, hashed.ours, hashed.theirs]) drive(state.stateHash());
  const fromScratch = [hashed.base, hashed.ours, hashed.theirs].flatMap((state) =>
    state.structure.sheets.flatMap((sheet) =>
      [...state.cellsOf(sheet).blocks()].map(({ block }) => block.digest?.toString('hex')),
    ),
  );
  for (const [at, digest] of found.entries()) {
    if (digest !== undefined) t.equal(digest, fromScratch[at]);
  }
  t.end();
});

t.test('choices that cannot be carried out are told of as a rejection', (t) => {
  const sides = sidesOf(contested());
  const feed = new DictionaryFeed(sides.ours.coding.dictionary);
  const [id = ''] = drive(wholeOutcome(sides, question, new Map())).judged.keys();
  const { sides: digest } = drive(wholeOutcome(sides, question, new Map())).judged.get(id) ?? {};
  const choice = { input: 'x'.repeat(40_000) };
  const stored = { choice, sides: digest?.read() ?? '', by: 'usr_1', at: 0 };
  const { answer } = inThread(sides, feed, new Map([[id, stored]]));
  t.match(answer, { rejection: { code: 'text_too_long' } });
  const { answer: next } = inThread(sides, feed, new Map());
  t.ok('pieces' in next, 'the thread goes on');
  t.end();
});
