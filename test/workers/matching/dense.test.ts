import t from 'tap';

import {
  Dots,
  openDots,
  queriesMost,
  rowsMost,
  stretchRows,
  vectorsIn,
} from '../../../workers/kernel-dots.ts';
import { noRow } from '../../../workers/matching/candidates.ts';
import {
  joinDense,
  placeDense,
  scaleVectors,
  scoreDense,
} from '../../../workers/matching/dense.ts';
import { prepareMatch } from '../../../workers/matching/prepared.ts';
import { packTexts, sharedFloat32 } from '../../../workers/matching/shared-arrays.ts';
import { readVectors } from '../../../workers/matching/vector-body.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { defaultRules } from '../../support/matched-names.ts';

const random = new SeededRandom(3);
const width = 48;

/** Vectors of length 1. */
function unitVectors(count: number): Float32Array {
  const vectors = sharedFloat32(count * width);
  for (let row = 0; row < count; row++) {
    const own = vectors.subarray(row * width, (row + 1) * width);
    for (let at = 0; at < width; at++) own[at] = random.between(-1000, 1000) / 1000;
    const length = Math.hypot(...own);
    for (let at = 0; at < width; at++) own[at] = (own[at] ?? 0) / length;
  }
  return vectors;
}

function plainDot(a: ArrayLike<number>, b: ArrayLike<number>, i: number, j: number): number {
  let sum = 0;
  for (let at = 0; at < width; at++) sum += (a[i * width + at] ?? 0) * (b[j * width + at] ?? 0);
  return sum;
}

t.test('products of the kernel are those of plain code, whatever the counts are', async (t) => {
  for (const [left, right] of [
    [1, 1],
    [3, 2],
    [4, 5],
    [queriesMost, 7],
    [9, rowsMost],
  ] as const) {
    const dots = openDots([left, right], width, 2);
    scaleVectors({ vectors: unitVectors(left), dots, side: 'left' });
    scaleVectors({ vectors: unitVectors(right), dots, side: 'right' });
    const products = new Dots(dots, 1).products([0, left], [0, right]);
    const a = vectorsIn(dots, dots.left, [0, left]);
    const b = vectorsIn(dots, dots.right, [0, right]);
    const expected = Int32Array.from({ length: left * right }, (_, at) =>
      plainDot(a, b, Math.floor(at / right), at % right),
    );
    t.same(products.all, expected, `${left} by ${right}`);
    const highest = Array.from({ length: left }, (_, query) =>
      Array.from({ length: Math.ceil(right / stretchRows) }, (_, stretch) => {
        const from = query * right + stretch * stretchRows;
        const to = Math.min((query + 1) * right, from + stretchRows);
        return Math.max(...expected.subarray(from, to));
      }),
    );
    t.same(products.highest, Int32Array.from(highest.flat()), `highest, ${left} by ${right}`);
  }
});

t.test('candidates are those of all pairs, however they are made in parts', async (t) => {
  const counts = [150, 1100] as const;
  const [left, right] = [unitVectors(counts[0]), unitVectors(counts[1])];
  right.fill(0, 5 * width, 6 * width);
  const dots = openDots(counts, width, 1);
  scaleVectors({ vectors: left, dots, side: 'left' });
  scaleVectors({ vectors: right, dots, side: 'right' });
  const names = (count: number, letter: string) =>
    packTexts(Array.from({ length: count }, (_, at) => `${letter}${at}`));
  const prepared = prepareMatch({
    left: { columns: [names(counts[0], 'a')] },
    right: { columns: [names(counts[1], 'b')] },
    normalise: 'default',
  });
  const rules = defaultRules;
  const dense = { width, left, right, dots };
  const made = (cuts: readonly number[]) =>
    joinDense(
      cuts
        .slice(1)
        .map((to, at) => scoreDense({ prepared, rules, from: cuts[at] ?? 0, to, dense, room: 0 })),
    );
  const whole = made([0, 150]);
  t.same(made([0, 1, 130, 150]), whole);
  const candidates = {
    width: 5,
    rows: new Uint32Array(750).fill(noRow),
    cosines: new Float64Array(750),
  };
  placeDense(candidates, new Float64Array(750), [whole, 0]);
  for (let query = 0; query < 150; query += 7) {
    const all = Array.from({ length: counts[1] }, (_, row) => ({
      row,
      cosine: Math.round(plainDot(left, right, query, row) * 1e6) / 1e6,
    }));
    all.sort((a, b) => b.cosine - a.cosine || a.row - b.row);
    t.same(
      [...candidates.rows.subarray(query * 5, query * 5 + 5)],
      all.slice(0, 5).map(({ row }) => row),
    );
    t.equal(candidates.cosines[query * 5], all[0]?.cosine);
  }
  t.notOk(candidates.rows.includes(5), 'a text without a vector is nobody’s candidate');
});

t.test('vectors come as they should, or the fault is named', async (t) => {
  const read = (value: unknown, count = 2) =>
    readVectors({ body: Buffer.from(JSON.stringify(value)), form: 'data', count });
  const item = (index: unknown, embedding: unknown) => ({ index, embedding });
  const good = read({ data: [item(1, [0, 2]), item(0, [3, 4])] });
  t.ok('vectors' in good && good.size === 2);
  if ('vectors' in good) t.same([...good.vectors], [...Float32Array.from([0.6, 0.8, 0, 1])]);
  const faults: readonly (readonly [unknown, string])[] = [
    [{ data: [item(0, [1, 0])] }, 'provider_bad_answer'],
    [{ data: [item(0, [1, 0]), item(0, [1, 0])] }, 'provider_bad_answer'],
    [{ data: [item(0, [1, 0]), item(2, [1, 0])] }, 'provider_bad_answer'],
    [{ data: 'two' }, 'provider_bad_answer'],
    [null, 'provider_bad_answer'],
    [{ data: [item(0, [1, 0]), item(1, [1])] }, 'provider_bad_vector'],
    [{ data: [item(0, [1, 0]), item(1, [0, 0])] }, 'provider_bad_vector'],
    [{ data: [item(0, [1, 0]), item(1, [null, 1])] }, 'provider_bad_vector'],
    [{ data: [item(0, []), item(1, [])] }, 'provider_bad_vector'],
    [{ data: [item(0, 'AAA='), item(1, 'AAA=')] }, 'provider_bad_vector'],
    [{ data: [item(0, [1e300, 1e300]), item(1, [1, 1])] }, 'provider_bad_vector'],
  ];
  for (const [value, fault] of faults) t.match(read(value), { fault }, JSON.stringify(value));
  const cut = readVectors({
    body: Buffer.from('[[3,4,9]]'),
    form: 'list',
    count: 1,
    cut: 2,
  });
  t.ok('vectors' in cut && cut.size === 2 && Math.abs((cut.vectors[0] ?? 0) - 0.6) < 1e-6);
});
