import t from 'tap';

import { hintForPeople, withoutPointer } from '../../client/console/shell/words-for-people.ts';

t.test('hints that speak of requests are for programs', async (t) => {
  t.equal(hintForPeople('GET the conflicts of the merge: each lists its choices.'), undefined);
  t.equal(hintForPeople('Send {"digest": "…"}.'), undefined);
  t.equal(hintForPeople('See https://quire.example/openapi.json.'), undefined);
  t.equal(
    hintForPeople('Get the list from somebody who has it.'),
    'Get the list from somebody who has it.',
  );
  t.equal(hintForPeople(undefined), undefined);
});

t.test('places in requests are left out', async (t) => {
  t.equal(withoutPointer('/name: a name has no slash.'), 'A name has no slash.');
  t.equal(withoutPointer('/resolutions/0/choice: it takes ours.'), 'It takes ours.');
  t.equal(withoutPointer('Sheet1!B2 is protected.'), 'Sheet1!B2 is protected.');
  t.equal(withoutPointer('=A1/2: wrong'), '=A1/2: wrong');
});
