import t from 'tap';

import type { JournalRecord } from '../../../server/branches/record.ts';
import { pressureLimits, ringLimits } from '../../../server/collaboration/limits.ts';
import { frameOf, Ring, StreamEntry } from '../../../server/collaboration/ring.ts';
import { memoryInUse } from '../../support/memory-in-use.ts';

const { operations, restOperations, bytes } = ringLimits;

function record(seq: number, { at = 0, input = 'ä' } = {}): JournalRecord {
  const payload = { sheet: 'Sheet1', cells: [{ a1: 'A1', input }] };
  const rest = { id: null, writer: 'w', principalId: 'agt_1', resolved: {} };
  return { seq, kind: 'cells.set', payload, at, ...rest };
}

function filled(count: number, more: Parameters<typeof record>[1] = {}): Ring {
  const ring = new Ring();
  for (let seq = 1; seq <= count; seq++) ring.push(new StreamEntry(record(seq, more)));
  return ring;
}

t.test('frames are the same when operations are text alone', async (t) => {
  for (const count of [3, 15, 16, 200]) {
    const [fresh, kept] = [filled(count), filled(count)];
    kept.trim(count - 1, 0);
    const [before, after, again] = [fresh, kept, kept].map(
      (ring) => frameOf(ring.between(1, count) ?? [], count).frame,
    );
    for (const framing of ['json', 'msgpack', 'events'] as const) {
      t.same(after?.bytes(framing), before?.bytes(framing), `${count} as ${framing}`);
      t.same(again?.bytes(framing), before?.bytes(framing), 'and again');
    }
  }
});

t.test('operations stay as long as slow sockets are waited for', async (t) => {
  const ring = filled(operations + 10);
  ring.trim(5, 0);
  t.equal(ring.firstSeq, 6, 'nothing leaves that was not handed on');
  ring.trim(operations + 10, pressureLimits.laggingMilliseconds);
  t.equal(ring.firstSeq, 11);
  ring.trim(operations + 10, pressureLimits.laggingMilliseconds + 1);
  t.equal(ring.firstSeq, operations + 11 - restOperations);
  t.same(
    ring.between(operations + 9, operations + 10)?.map(({ seq }) => seq),
    [operations + 9, operations + 10],
  );
  t.equal(ring.between(10, 12), undefined);
});

t.test('long operations leave sooner', async (t) => {
  const ring = filled(9, { input: 'x'.repeat(bytes / 4) });
  ring.trim(9, 0);
  t.equal(ring.firstSeq, 7);
  t.ok(ring.byteCount <= bytes);
});

t.test('operations that left take no memory', async (t) => {
  const ring = new Ring();
  const before = await memoryInUse();
  for (let seq = 1; seq <= 400; seq++) {
    ring.push(new StreamEntry(record(seq, { input: `${seq}`.repeat(50_000) })));
    ring.trim(seq, 0);
  }
  const held = (await memoryInUse()) - before;
  t.ok(held < 4 * bytes, `${held} bytes are held, and ${ring.byteCount} are in the ring`);
});

t.test('what was packed for one client keeps no larger buffers', async (t) => {
  const ring = filled(restOperations);
  ring.trim(restOperations, 0);
  const before = await memoryInUse();
  const others: Buffer[] = [];
  let characterCount = 0;
  for (let seq = 1; seq <= restOperations; seq += 100) {
    for (const entry of ring.between(seq, seq + 99) ?? []) {
      characterCount += entry.packed.length;
      others.push(Buffer.from('something else '.repeat(60)));
    }
  }
  t.ok(characterCount > 50 * restOperations);
  others.length = 0;
  const held = (await memoryInUse()) - before;
  t.ok(held < 300 * restOperations, `${held} bytes are held for ${restOperations} operations`);
  t.equal(ring.firstSeq, 1);
});
