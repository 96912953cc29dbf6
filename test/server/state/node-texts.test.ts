import t from 'tap';

import { NodeReader, NodeWriter } from '../../../server/state/nodes/bytes.ts';

const units = ['a', '\u{7f}', 'ä', '行', '😀', '\ud800', 'a\ude00'];
const lengths = [0, 1, 62, 63, 64, 65, 127, 128, 4_095, 4_096];

t.test('a text has the same bytes however it is written', async (t) => {
  for (const unit of units) {
    for (const length of lengths) {
      const text = `${'x'.repeat(length)}${unit}`;
      const bytes = Buffer.from(text, 'utf8');
      const node = new NodeWriter();
      node.text(text);
      const expected = new NodeWriter();
      expected.count(bytes.length);
      expected.raw(bytes);
      t.ok(node.bytes().equals(expected.bytes()), `${length} and ${JSON.stringify(unit)}`);
      t.equal(new NodeReader(node.bytes()).text(), bytes.toString('utf8'));
    }
  }
});

t.test('a text that is refused as short leaves nothing behind', async (t) => {
  const node = new NodeWriter();
  node.byte(9);
  for (const text of ['ab', 'aä', '', 'b']) node.text(text);
  t.same([...node.bytes()], [9, 2, 97, 98, 3, 97, 195, 164, 0, 1, 98]);
});
