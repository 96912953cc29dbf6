import t from 'tap';

import { valueOf } from '../../client/console/tables/table.ts';

t.test('what is typed into a row is what its column takes', (t) => {
  const cases: readonly (readonly [string, string | undefined, unknown])[] = [
    ['2024-02-29', 'date', '2024-02-29'],
    ['2/29/2024', 'date', '2024-02-29'],
    ['1900-02-28', 'date', '1900-02-28'],
    ['29-Feb-24 18:00', 'datetime', '2024-02-29T18:00:00'],
    ['45351', 'date', 45_351],
    ['18:00', 'datetime', 0.75],
    ['2024-02-29', 'any', 45_351],
    ['2024-02-29', 'text', '2024-02-29'],
    ['50%', 'number', 0.5],
    ['', 'text', null],
    ['=1+1', 'any', '=1+1'],
  ];
  for (const [text, type, value] of cases) t.equal(valueOf(text, type), value, text);
  t.end();
});
