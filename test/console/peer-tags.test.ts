import t from 'tap';

import { PeerTags } from '../../client/console/grid/peer-tags.ts';

t.test('a name folds three seconds after a move, and is there again after the next', async (t) => {
  let now = 0;
  const tags = new PeerTags(
    () => undefined,
    () => now,
  );
  t.teardown(() => tags.close());
  const named = () => tags.tagged.filter(({ isNamed }) => isNamed).map(({ name }) => name);
  const ann = { name: 'ann', colour: 0, row: 1, column: 1 };
  const ben = { name: 'ben', colour: 1, row: 2, column: 1 };
  tags.show([ann]);
  now = 2_000;
  tags.show([ann, ben]);
  t.same(named(), ['ann', 'ben']);
  now = 3_500;
  t.same(named(), ['ben'], 'a move of somebody else keeps no name');
  now = 6_000;
  tags.show([{ ...ann, row: 5 }, ben]);
  t.same(named(), ['ann']);
});
