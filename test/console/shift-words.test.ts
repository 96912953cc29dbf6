import t from 'tap';

import { shiftWords } from '../../client/console/merges/shift-words.ts';

t.test('a shift is told in plain words', async (t) => {
  t.equal(
    shiftWords('range.insert Sheet1!F3:F4 down'),
    'inserted cells at Sheet1!F3:F4: what was there and below went down',
  );
  t.equal(
    shiftWords("range.delete 'My plan'!E1:E3 left"),
    "deleted the cells 'My plan'!E1:E3: what was to the right of them came to the left",
  );
  t.equal(
    shiftWords('range.insert A1 right'),
    'inserted cells at A1: what was there and to the right of it went to the right',
  );
  t.equal(
    shiftWords('range.delete up'),
    'deleted cells: what was below came up',
    'of a sheet that is gone',
  );
  for (const other of ['F1', undefined, 'range.move A1', 'range.insert A1 around']) {
    t.equal(shiftWords(other), undefined);
  }
});
