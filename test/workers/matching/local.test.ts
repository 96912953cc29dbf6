import t from 'tap';

import { findCandidates } from '../../../workers/matching/candidates.ts';
import { buildCorpus } from '../../../workers/matching/corpus.ts';
import { jaroWinkler } from '../../../workers/matching/jaro-winkler.ts';
import { normalise } from '../../../workers/matching/normalise.ts';
import { algorithm } from '../../../workers/matching/options.ts';
import { Retrieval } from '../../../workers/matching/retrieval.ts';
import { packTexts } from '../../../workers/matching/shared-arrays.ts';
import { hashUnits, mixed } from '../../../workers/matching/term-dictionary.ts';
import { bucketOf } from '../../../workers/matching/vectors.ts';
import { defaultRules, matchNames, readNames } from '../../support/matched-names.ts';

const names = { left: await readNames('left.txt'), right: await readNames('right.txt') };

/** The rows as the file has them: what was found for whom, how surely and why. */
function short(rows: string): string[] {
  return rows
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const body = JSON.parse((line.split('\t')[5] ?? '').replaceAll('\\\\', '\\')) as {
        leftKey: number;
        rightKey: number | null;
        score: number | null;
        confidence: number | null;
        decision: string;
        reason: string;
      };
      const { leftKey, rightKey, score, confidence, decision, reason } = body;
      return [leftKey, rightKey, score, confidence, decision, reason].join('\t');
    });
}

t.test('local/1 decides as it always did', async (t) => {
  t.equal(algorithm, 'local/1');
  const golden = await readNames('local-1.tsv');
  t.same(short(matchNames(names, defaultRules, 1000)), golden);
});

t.test('it does not matter how the work was divided', async (t) => {
  const whole = matchNames(names, defaultRules, 1000);
  for (const chunkTexts of [1, 7, 64]) {
    t.ok(matchNames(names, defaultRules, chunkTexts) === whole, `parts of ${chunkTexts}`);
  }
});

t.test('leaving out frequent terms loses no neighbours', async (t) => {
  const [left, right] = [names.left.map(normalise), [...new Set(names.right.map(normalise))]];
  const corpus = buildCorpus([...new Set(left)], right);
  const { vectors, index } = corpus;
  const wish = { from: 0, to: new Set(left).size, width: 5, isHashed: false, isDedupe: false };
  const found = findCandidates(corpus, wish);
  const rule = { prunedMass: 0, rescored: right.length, kept: 5 };
  const indexed = { indexed: vectors.right, termCount: vectors.termCount };
  const all = new Retrieval(index, indexed, rule);
  let [kept, missed, missedAboveLow] = [0, 0, 0];
  for (let row = 0; row < wish.to; row++) {
    const own = new Set(found.rows.subarray(row * 5, row * 5 + 5));
    const worst = found.cosines[row * 5 + 4] ?? 0;
    const exact = all.nearest(vectors.left, row);
    for (let at = 0; at < exact.count; at++) {
      const isTied = (exact.scores[at] ?? 0) <= worst;
      if (isTied || own.has(exact.rows[at] ?? -1)) kept++;
      else missed++;
      const isGone = !isTied && !own.has(exact.rows[at] ?? -1);
      missedAboveLow += Number(isGone && (exact.scores[at] ?? 0) >= defaultRules.lo);
    }
  }
  t.ok(kept / (kept + missed) >= 0.995, `${missed} of ${kept + missed} are missed`);
  t.equal(missedAboveLow, 0, 'none that the verifier would have been asked about');
});

t.test('texts are normalised by what they say', async (t) => {
  const cases = [
    ['Café “Müller” & Söhne', 'cafe muller and sohne'],
    ["O'Brien’s  STRASSE", 'obriens strasse'],
    ['Straße Łódź Ærø Œuvre', 'strasse lodz aero oeuvre'],
    ['  A-1 / b_2 ', 'a 1 b 2'],
    ['Ｆｕｌｌ １２', 'full 12'],
    ['…', ''],
    ['東京', '東京'],
  ] as const;
  for (const [text, expected] of cases) t.equal(normalise(text), expected);
});

t.test('hashes and similarities have known answers', async (t) => {
  const hash = (text: string): number => {
    const { characters } = packTexts([text]);
    return hashUnits(characters, 0, characters.length, 0);
  };
  // Published for FNV-1a with 32 bits; each unit is below 256 here.
  t.equal(hash(''), 0x811c9dc5);
  t.equal(hash('a'), 0xe40c292c);
  t.equal(hash('foobar'), 0xbf9cf968);
  // Published for the finaliser of MurmurHash3.
  t.equal(mixed(0), 0);
  t.equal(mixed(1), 0x514e28b7);
  t.equal(bucketOf(0b1011, 16), -6);
  t.equal(bucketOf(0b1010, 16), 6);
  const likeness = (a: string, b: string): number => {
    const units = (text: string) => {
      const { characters } = packTexts([text]);
      return { units: characters, start: 0, end: characters.length };
    };
    return Math.round(jaroWinkler(units(a), units(b)) * 1000) / 1000;
  };
  t.equal(likeness('martha', 'marhta'), 0.961);
  t.equal(likeness('dwayne', 'duane'), 0.84);
  t.equal(likeness('dixon', 'dicksonx'), 0.813);
  t.equal(likeness('abc', 'xyz'), 0);
});
