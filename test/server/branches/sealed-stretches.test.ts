import t from 'tap';

import { readHistory, readHistoryBefore } from '../../../server/branches/history.ts';
import type { StoredSegment } from '../../../server/branches/journal-store.ts';
import { LayeredJournal } from '../../../server/branches/layered-journal.ts';
import type { JournalRecord } from '../../../server/branches/record.ts';
import { genesisHash, SegmentWriter } from '../../../server/branches/segment.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';

/** A long journal of small operations that lies in one object of the storage. */

const address = { workbookId: 'wb_1', branchNo: 1 };
const operationCount = 6_000;

function recordAt(seq: number): JournalRecord {
  const payload = { cells: [{ a1: 'A1', input: seq }] };
  const made = { id: null, writer: 'a', principalId: 'agt_1', kind: 'cells.set' as const };
  return { seq, ...made, payload, resolved: { sheet: 'sh_1' }, at: seq };
}

/** Some hold one operation, and some a few. */
function sealedSegments(): StoredSegment[] {
  const segments: StoredSegment[] = [];
  let hash: Buffer = genesisHash;
  for (let seq = 1; seq <= operationCount;) {
    const writer = new SegmentWriter(seq, hash);
    const count = seq % 3 === 0 ? 3 : 1;
    for (let at = 0; at < count && seq <= operationCount; at++) writer.append(recordAt(seq++));
    const segment = writer.close();
    segments.push(segment);
    ({ hash } = segment);
  }
  return segments;
}

/** The journal with a count of what it hands out. */
class SealedJournal extends LayeredJournal {
  handedOut = 0;

  constructor(segments: readonly StoredSegment[]) {
    const recent = new MemoryJournal();
    const branch = recent.branch.bind(recent);
    recent.branch = async (asked) => {
      const row = await branch(asked);
      return row && { ...row, head: operationCount, sealedSeq: operationCount };
    };
    super(recent, {
      segmentsAfter: async (_address, after) => {
        return segments.filter(({ lastSeq }) => lastSeq > after);
      },
    });
  }

  override async segments(...asked: Parameters<LayeredJournal['segments']>) {
    const found = await super.segments(...asked);
    this.handedOut += found.length;
    return found;
  }
}

t.test('the way back through a sealed journal reads each segment about once', async (t) => {
  const segments = sealedSegments();
  const journal = new SealedJournal(segments);
  const isWanted = ({ seq }: JournalRecord) => seq % 1_000 === 7;
  const before = operationCount + 1;
  const page = await readHistoryBefore(journal, address, { before, limit: 100, isWanted });
  t.same(
    page.records.map(({ seq }) => seq),
    [5_007, 4_007, 3_007, 2_007, 1_007, 7],
  );
  t.equal(page.next, null);
  t.ok(journal.handedOut < 2 * segments.length, `${journal.handedOut} of ${segments.length}`);
});

t.test('a page begins and ends within segments', async (t) => {
  const journal = new SealedJournal(sealedSegments());
  for (const after of [0, 3, 4, 2_000, operationCount - 2]) {
    const { records, next } = await readHistory(journal, address, { after, limit: 10 });
    const count = Math.min(10, operationCount - after);
    const expected = Array.from({ length: count }, (_, at) => recordAt(after + at + 1));
    t.same(records, expected, `after ${after}`);
    t.equal(next, after + count < operationCount ? after + count : null);
  }
});
