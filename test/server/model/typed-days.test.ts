import t from 'tap';

import { readEntered, readTyped } from '../../../server/model/typed-input.ts';

/** Dates that name no year, or no day, as a person types them into Excel (en-US). */

const days: readonly (readonly [string, number, string])[] = [
  ['Dec 5', 46361, 'd-mmm'],
  ['5-Dec', 46361, 'd-mmm'],
  ['5 december', 46361, 'd-mmm'],
  ['DEC-05', 46361, 'd-mmm'],
  [' sept 30 ', 46295, 'd-mmm'],
  ['Feb 29', 47150, 'mmm-yy'],
  ['Dec 32', 12024, 'mmm-yy'],
  ['Dec 2026', 46357, 'mmm-yy'],
  ['December 5, 2026', 46361, 'd-mmm-yy'],
];
const texts = [
  '5-marble',
  'marble 5',
  'Dec',
  'Dec 5 Tea',
  '32-Dec',
  'De 5',
  'Dec5',
  'Feb 30, 2026',
];

t.test('days and months take the year in which they are typed', async (t) => {
  for (const [typed, input, format] of days) {
    t.same(readEntered(typed, 2026), { input, format }, typed);
    t.same(readEntered(typed), { input: typed }, `${typed} in no year`);
    t.same(readTyped(typed), { input: typed }, `${typed} in a file`);
  }
  t.same(readEntered('Feb 29', 2028), { input: 46812, format: 'd-mmm' }, 'of a leap year');
});

t.test('what is no date stays a text', async (t) => {
  for (const typed of texts) t.same(readEntered(typed, 2026), { input: typed }, typed);
  t.same(readTyped('5-marble-2026'), { input: '5-marble-2026' });
});
