import t from 'tap';

import { entriesOf, type DiffPage } from '../../client/console/diff/diff-page.ts';
import { entryLists } from '../../server/model/entry-lists.ts';

t.test('each list of a diff has its entries in the list of the console', async (t) => {
  const entry = {
    sheet: 'Plan',
    a1: { from: 'B2', to: 'B2' },
    range: 'B2:B9',
    change: 'modified',
    cause: 'recalculated',
    name: 'Rate',
    before: 1,
    after: 2,
  };
  const page = Object.fromEntries(entryLists.map((list) => [list, [entry]]));
  const shown = entriesOf({ ...page, summary: {}, next: null } as DiffPage);
  const lists = new Set(shown.map(({ key }) => key.split(' ')[0]));
  t.same(lists, new Set(entryLists));
});
