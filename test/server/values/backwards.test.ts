import t from 'tap';

import { JournalFault } from '../../../server/branches/replay.ts';
import { Failure } from '../../../server/model/failure.ts';
import { BackwardJournal } from '../../../server/values/blame/backwards.ts';
import { quickEnvironment } from '../../support/memory-journal.ts';

/** A journal whose operations are gone, of a branch that is there for so many looks. */
function emptied(looks: number): BackwardJournal {
  let left = looks;
  const origin = { name: 'main', head: 3, parentNo: null, forkSeq: null, loggedAfter: 0 };
  return new BackwardJournal({
    table: {
      origin: async () => (left-- > 0 ? origin : undefined),
      segmentsBefore: async () => [],
    },
    sealed: { segmentsAround: async () => [] },
    environment: quickEnvironment(),
  });
}

function read(journal: BackwardJournal): Promise<unknown> {
  return journal.steps('wb_1', { branchNo: 1, seq: 3 }).next();
}

t.test('operations that go while they are read belong to a branch that is gone', async (t) => {
  const failure = await read(emptied(1)).catch((error: unknown) => error);
  t.match(failure, { key: 'branchNotFound' });
  t.ok(failure instanceof Failure && !(failure instanceof JournalFault));
});

t.test('operations that a branch lost are damage', async (t) => {
  await t.rejects(read(emptied(2)), { name: 'JournalFault', message: /operation 3 is missing/u });
});
