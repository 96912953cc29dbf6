import t from 'tap';

import { Pack, PackSource, PackWriter } from '../../../server/history/pack.ts';
import { nodeKind } from '../../../server/state/nodes/nodes.ts';
import { putState } from '../../../server/state/tree/state-node.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

t.test('a pack notes which blocks may hold arrays', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const inputs = Array.from({ length: 3_000 }, (_, row) => [row, '=A1']);
  driver.apply('range.set', { sheet: 'S', range: 'A1:B3000', inputs });
  const array = { a1: 'E2000', input: '=ROW(A1:A9)', array: 'E2000:E2008' };
  driver.apply('cells.set', { sheet: 'S', cells: [array] });
  const writer = new PackWriter(() => false);
  drive(putState(writer, driver.state));
  const { name, object } = await writer.close();
  const pack = new Pack(name, object);
  const source = new PackSource([pack]);
  const noted = [...pack.hashes()].map((text) => Buffer.from(text, 'hex'));
  const blocks = noted.filter((hash) => source.get(hash)[0] === nodeKind.block);
  t.equal(blocks.length, 7);
  t.equal(blocks.filter((hash) => source.hasArrays(hash) === true).length, 1);
  t.equal(source.hasArrays(Buffer.alloc(32)), undefined);
});
