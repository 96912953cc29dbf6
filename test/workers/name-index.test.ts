import t from 'tap';

import { askNames, indexNames, suggestNames } from '../../workers/matching/name-index.ts';
import { packTexts } from '../../workers/matching/shared-arrays.ts';

const firsts = 'north south east west upper lower inner outer new old'.split(' ');
const middles = 'wind water stone iron silver timber copper linen paper glass'.split(' ');
const lasts = 'traders works limited partners foods motors press tools lines stores'.split(' ');
const names = firsts.flatMap((first) =>
  middles.flatMap((middle) => lasts.map((last) => `${first}${middle} ${last}`)),
);
const index = indexNames({ texts: packTexts(names) });

t.test('a name with a slip in it is found among a thousand like it', async (t) => {
  const questions = names.map((name, at) => {
    const place = 2 + (at % (name.length - 3));
    return { text: `${name.slice(0, place)}${name.slice(place + 1)}`, limit: 3 };
  });
  const found = askNames({ index, questions });
  const right = found.filter((rows, at) => rows[0]?.row === at).length;
  t.ok(right >= 900, `${right} of ${names.length}`);
});

t.test('a question is judged by itself, whatever it is asked with', async (t) => {
  const all = names.slice(0, 50).map((text) => ({ text: `${text} zyx`, limit: 5 }));
  const together = askNames({ index, questions: all });
  for (const [at, question] of all.entries()) {
    t.same(askNames({ index, questions: [question] })[0], together[at]);
  }
});

t.test('words that no name has make a question less like any', async (t) => {
  const [plain = [], longer = []] = askNames({
    index,
    questions: [
      { text: 'northwind traders', limit: 1 },
      { text: 'northwind traders of xyzzy', limit: 1 },
    ],
  });
  t.match(plain, [{ row: 0, cosine: 1, isEqual: true, jaroWinkler: 1 }]);
  t.match(longer, [{ row: 0, isEqual: false }]);
  t.ok((longer[0]?.cosine ?? 1) < 0.9);
});

t.test('rows of one name come in their order, and rows without a name never', async (t) => {
  const few = indexNames({ texts: packTexts(['Lund', '', 'LUND', '--', 'Bern', 'lund']) });
  const [rows = []] = askNames({ index: few, questions: [{ text: 'lund', limit: 2 }] });
  t.same(
    rows.map(({ row }) => row),
    [0, 2],
  );
  const asked = (prefix: string, skip = 0) => suggestNames({ index: few, prefix, skip, limit: 2 });
  t.same(asked('lu'), [0, 2]);
  t.same(asked('lu', 2), [5]);
  t.same(asked(''), [0, 2]);
  t.same(askNames({ index: indexNames({ texts: packTexts([]) }), questions: [] }), []);
});
