import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

t.test('what one writes the other sees, and its own is acknowledged', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  for (const framing of ['json', 'msgpack'] as const) {
    const ann = await LiveClient.join(book, { framing, hello: { writer: 'ann' } });
    const bob = await LiveClient.join(book, { framing, hello: { writer: 'bob' } });
    const { head } = ann.snapshot as LiveMessage & { head: number };
    t.match(ann.snapshot, { branch: 'main', protocol: 1, archived: false, replay: null });
    const ack = await ann.submit([setCell('A1', 1, `${framing}1`)], { baseSeq: head });
    t.match(ack, { status: 'applied', firstSeq: head + 1, lastSeq: head + 1, head: head + 1 });
    const applied = await bob.next('op_applied');
    t.match(applied, {
      firstSeq: head + 1,
      lastSeq: head + 1,
      head: head + 1,
      ops: [{ seq: head + 1, id: `${framing}1`, writer: 'ann', kind: 'cells.set' }],
    });
    await ann.settled();
    t.same(ann.of('op_applied'), [], 'the acknowledgement stands for it');
    const again = await ann.submit([setCell('A1', 1, `${framing}1`)], { baseSeq: head });
    t.match(again, { status: 'duplicate', results: [{ status: 'duplicate', seq: head + 1 }] });
    ann.close();
    bob.close();
  }
});
