import t from 'tap';

import { hashKeyWords, useHashKey } from '../../workers/hash-key.ts';
import { KeptWorkbook } from '../support/kept-workbook.ts';

/** Whatever one edit asks for, the serving thread does little of it. */

interface Stats {
  readonly lastRecalculation: { readonly in: string; readonly dirtyCells: number };
}

t.test('an edit that makes a light cell heavy is calculated by the pool', async (t) => {
  const book = await KeptWorkbook.create(t);
  const placeOf = async (): Promise<string> => {
    const { json } = await book.request('eval-stats');
    return (json as Stats).lastRecalculation.in;
  };
  await book.set({ A1: 1, B1: '=SUM(SORT(SEQUENCE(A1)))', C1: '=B1+1' });
  t.same(await book.slice('B1:C1'), [[1, 2]]);
  // A workbook counts as heavy for a while after this thread had to wait for the processor.
  let place = '';
  for (let input = 3; place !== 'process' && input < 30; input++) {
    await book.set({ A1: input });
    const sum = (input * (input + 1)) / 2;
    t.same(await book.slice('B1:C1'), [[sum, sum + 1]]);
    place = await placeOf();
  }
  t.equal(place, 'process');
  await book.set({ A1: 200_000 });
  t.same(await book.slice('B1:C1'), [[20_000_100_000, 20_000_100_001]]);
  t.equal(await placeOf(), 'pool');
});

t.test('each process draws a key for its hash tables', async (t) => {
  const drawn: string[] = [];
  for (let start = 0; start < 2; start++) {
    useHashKey(new Uint8Array(16));
    await KeptWorkbook.create(t);
    drawn.push(hashKeyWords().join(' '));
  }
  t.not(drawn[0], '0 0 0 0');
  t.not(drawn[1], '0 0 0 0');
  t.not(drawn[0], drawn[1]);
});
