import t from 'tap';

import { Batch } from '../../../server/branches/batch.ts';
import { LiveBranch } from '../../../server/branches/live-branch.ts';
import { PendingSubmission } from '../../../server/branches/pending.ts';
import { RejectedOutcomes } from '../../../server/branches/rejections/outcomes.ts';
import { genesisHash, readSegment } from '../../../server/branches/segment.ts';
import { WorkbookContents } from '../../../server/history/content.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { StateDriver } from '../../support/state-driver.ts';

const cells = Array.from({ length: 5_000 }, (_, at) => ({ a1: `A${at + 1}`, input: at / 3 }));
/** Cells that are packed between two turns of others. */
const cellsMost = 128;

/** Admits the same cells; returns the turns between, and the segment. */
function admitted(byteCount: number) {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const content = new WorkbookContents(new FormulaDouble()).of('wb_1');
  const live = new LiveBranch({ state: driver.state, content, hash: genesisHash, packs: [] });
  const ops: Operation[] = [{ kind: 'cells.set', payload: { sheet: 'S', cells } }];
  const request = { principalId: 'agt_1', writer: 'w', ops, byteCount };
  const batch = new Batch({ live, outcomes: new RejectedOutcomes(), now: 0 });
  let turns = 0;
  for (const _turn of batch.admit(new PendingSubmission(request, 0))) turns++;
  const [segment] = batch.written.close();
  if (!segment) throw new Error('nothing was written');
  return { turns, segment };
}

t.test('a large write is packed a few cells at a time, to the same bytes', (t) => {
  const small = admitted(100);
  const large = admitted(100_000);
  const turns = large.turns - small.turns;
  t.ok(turns >= cells.length / cellsMost, `${turns} turns`);
  t.ok(large.segment.body.equals(small.segment.body));
  t.ok(large.segment.hash.equals(small.segment.hash));
  const { records } = readSegment(large.segment.body, genesisHash);
  t.match(records, [{ kind: 'cells.set', payload: { cells } }]);
  t.end();
});
