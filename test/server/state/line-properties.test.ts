import * as fc from 'fast-check';
import t from 'tap';

import { LineProperties } from '../../../server/state/structure/line-properties.ts';
import { bareLine, lineValue, type LineValue } from '../../../server/state/structure/line-value.ts';
import { LineTable } from '../../../server/state/structure/looks.ts';
import type { IdSpan } from '../../../server/state/ids/order.ts';
import { caseCount } from '../../support/case-count.ts';
import { drive } from '../../support/state-driver.ts';

const run = fc.constantFrom({ branch: 0, sequence: 0 }, { branch: 3, sequence: 70_000 });
const span = fc
  .tuple(run, fc.nat(30), fc.integer({ min: 1, max: 12 }))
  .map(([{ branch, sequence }, offset, length]): IdSpan => ({ branch, sequence, offset, length }));
const change = fc.constantFrom<LineValue>(
  { px: 20 },
  { hidden: true },
  { collapsed: true, hidden: true, level: 1 },
  { style: { bold: true } },
  bareLine,
);
type Step = readonly [spans: IdSpan[], value: LineValue, isMerged: boolean];
const step: fc.Arbitrary<Step> = fc
  .tuple(fc.array(span, { minLength: 1, maxLength: 4 }), change, fc.boolean())
  .map(([spans, value, isMerged]) => [disjoint(spans), value, isMerged]);

function disjoint(spans: readonly IdSpan[]): IdSpan[] {
  const kept: IdSpan[] = [];
  for (const next of spans) {
    const meets = kept.some(
      (other) =>
        other.sequence === next.sequence &&
        other.offset < next.offset + next.length &&
        next.offset < other.offset + other.length,
    );
    if (!meets) kept.push(next);
  }
  return kept;
}

function apply(lines: LineProperties, [spans, value, isMerged]: Step): LineProperties {
  return lines.update(spans, (old) => (isMerged ? lineValue({ ...old, ...value }) : value));
}

function applyToModel(model: Map<string, LineValue>, [spans, value, isMerged]: Step): void {
  for (const { branch, sequence, offset, length } of spans) {
    for (let at = offset; at < offset + length; at++) {
      const key = `${branch}.${sequence}.${at}`;
      const old = model.get(key) ?? bareLine;
      model.set(key, isMerged ? lineValue({ ...old, ...value }) : value);
    }
  }
}

t.test('each line has what was last set of it, in the fewest intervals', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let lines = LineProperties.none;
      const model = new Map<string, LineValue>();
      const earlier: [LineProperties, string][] = [];
      for (const next of steps) {
        earlier.push([lines, JSON.stringify([...lines.entries()])]);
        lines = apply(lines, next);
        applyToModel(model, next);
      }
      for (const [branch, sequence] of [
        [0, 0],
        [3, 70_000],
      ] as const) {
        for (let offset = 0; offset < 45; offset++) {
          const expected = model.get(`${branch}.${sequence}.${offset}`) ?? bareLine;
          const found = lines.at({ branch, sequence, offset });
          if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${offset}`);
        }
        checkStretches(lines, { branch, sequence, offset: 2, length: 40 });
      }
      checkCanonical(lines);
      for (const [old, text] of earlier) {
        if (JSON.stringify([...old.entries()]) !== text) throw new Error('an old one changed');
      }
      const loaded = LineProperties.from(lines.entries());
      return loaded.equals(lines) && lines.equals(loaded);
    }),
    { numRuns: caseCount(500) },
  );
  t.pass('for every history that was tried');
});

/** Steps on so many lines, each on some stretches of them. */
function farSteps(lineCount: number): fc.Arbitrary<Step[]> {
  const farSpan = fc
    .tuple(fc.nat(lineCount), fc.integer({ min: 1, max: lineCount >> 2 }))
    .map(([offset, length]): IdSpan => ({ branch: 0, sequence: 0, offset, length }));
  const farStep: fc.Arbitrary<Step> = fc
    .tuple(fc.array(farSpan, { minLength: 1, maxLength: 5 }), change, fc.boolean())
    .map(([spans, value, isMerged]) => [disjoint(spans), value, isMerged]);
  return fc.array(farStep, { minLength: 1, maxLength: 6 });
}

/** Every fifth line has nothing, and no two neighbours have the same. */
function manyHeights(lineCount: number): { lines: LineProperties; model: Map<string, LineValue> } {
  const model = new Map<string, LineValue>();
  let lines = LineProperties.none;
  for (let kind = 0; kind < 35; kind++) {
    const value = kind % 5 === 0 ? bareLine : { px: 10 + (kind % 7) };
    const spans: IdSpan[] = [];
    for (let offset = kind; offset < lineCount; offset += 35) {
      spans.push({ branch: 0, sequence: 0, offset, length: 1 });
    }
    lines = apply(lines, [spans, value, false]);
    applyToModel(model, [spans, value, false]);
  }
  return { lines, model };
}

for (const [lineCount, cases] of [
  [400, 100],
  [6_000, 10],
] as const) {
  t.test(`of ${lineCount} lines some far apart change, and those between stay`, async (t) => {
    const first = manyHeights(lineCount);
    fc.assert(
      fc.property(farSteps(lineCount), (steps) => {
        let { lines } = first;
        const model = new Map(first.model);
        for (const next of steps) {
          lines = apply(lines, next);
          applyToModel(model, next);
        }
        for (let offset = 0; offset < lineCount * 1.3; offset++) {
          const expected = model.get(`0.0.${offset}`) ?? bareLine;
          const found = lines.at({ branch: 0, sequence: 0, offset });
          if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${offset}`);
        }
        checkStretches(lines, { branch: 0, sequence: 0, offset: 0, length: lineCount });
        checkCanonical(lines);
        const loaded = LineProperties.from(lines.entries());
        if (!loaded.equals(lines) || !lines.equals(loaded)) throw new Error('not equal');
        const other = lines.update([{ branch: 0, sequence: 0, offset: 7, length: 1 }], () => {
          return { px: 99 };
        });
        return !other.equals(lines) && !lines.equals(other);
      }),
      { numRuns: caseCount(cases) },
    );
    t.pass('for every history that was tried');
  });
}

/** The stretches cover the span, in order, and say what `at` says. */
function checkStretches(lines: LineProperties, whole: IdSpan): void {
  let next = whole.offset;
  for (const { offset, length, skipped, value } of lines.stretches([whole])) {
    if (offset !== next || skipped !== offset - whole.offset) throw new Error('a hole');
    for (let at = offset; at < offset + length; at++) {
      const found = lines.at({ ...whole, offset: at });
      if (JSON.stringify(found) !== JSON.stringify(value)) throw new Error('a stretch lies');
    }
    next += length;
  }
  if (next !== whole.offset + whole.length) throw new Error('stretches end early');
}

function checkCanonical(lines: LineProperties): void {
  const ends = new Map<string, string>();
  for (const { branch, sequence, offset, length, value } of lines.intervals()) {
    const text = JSON.stringify(value);
    if (text === '{}') throw new Error('an interval that says nothing');
    if (ends.get(`${branch}.${sequence}.${offset}`) === text) throw new Error('two that are one');
    ends.set(`${branch}.${sequence}.${offset + length}`, text);
  }
}

t.test('equal content is equal whatever edits led there', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      let lines = LineProperties.none;
      for (const next of steps) lines = apply(lines, next);
      // Line by line from the last to the first, on top of something that is then overwritten.
      let slow = LineProperties.none.update(
        [{ branch: 0, sequence: 0, offset: 0, length: 50 }],
        () => ({
          px: 99,
        }),
      );
      const runs = [
        { branch: 0, sequence: 0 },
        { branch: 3, sequence: 70_000 },
      ];
      for (const { branch, sequence } of runs) {
        for (let offset = 49; offset >= 0; offset--) {
          const id = { branch, sequence, offset };
          const value = lines.at(id);
          slow = slow.update([{ ...id, length: 1 }], () => value);
        }
      }
      const sorted = (of: LineProperties) =>
        JSON.stringify([...of.entries()].sort(([a], [b]) => (a < b ? -1 : 1)));
      return slow.equals(lines) && sorted(slow) === sorted(lines);
    }),
    { numRuns: caseCount(200) },
  );
  t.pass('for every history that was tried');
});

t.test('ten thousand pieces go in at once, and edits among them stay single', async (t) => {
  const spans = Array.from({ length: 10_000 }, (_, index) => ({
    branch: 0,
    sequence: 0,
    offset: index * 3,
    length: 1,
  }));
  let lines = LineProperties.none.update(spans, () => ({ px: 10 }));
  for (let at = 0; at < 100; at++) {
    lines = lines.update([{ branch: 0, sequence: 0, offset: at * 7, length: 1 }], () => ({
      px: at,
    }));
  }
  for (let at = 0; at < 100; at++) {
    t.same(lines.at({ branch: 0, sequence: 0, offset: at * 7 }), { px: at });
  }
  t.ok([...lines.intervals()].length >= 10_000);
});

t.test('a table lists what changed since it or a copy of it was listed', async (t) => {
  const sheet = fc.constantFrom('s1', 's2');
  const axis = fc.constantFrom<'row' | 'column'>('row', 'column');
  const places = ['s1', 's2'].flatMap((id) => [[id, 'row'] as const, [id, 'column'] as const]);
  const tableStep = fc.tuple(sheet, axis, step, fc.nat(2), fc.boolean());
  fc.assert(
    fc.property(fc.array(tableStep, { maxLength: 20 }), (steps) => {
      const tables = [new LineTable()];
      for (const [name, along, next, which, isCopied] of steps) {
        const table = tables[which % tables.length] ?? new LineTable();
        const written = isCopied ? table.copy() : table;
        if (isCopied) tables.push(written);
        written.set(name, along, apply(written.of(name, along), next));
        const all = [...drive(written.list()).entries()];
        const plain = places.flatMap(([id, of]) => {
          const entries = [...written.of(id, of).entries()];
          return entries.map(([ids, held]) => [`${id}/${of}s/${ids}`, held] as const);
        });
        plain.sort(([a], [b]) => (a < b ? -1 : 1));
        if (JSON.stringify(all) !== JSON.stringify(plain)) throw new Error(`not ${plain.length}`);
        if (written.count !== plain.length) throw new Error(`${written.count} counted`);
      }
    }),
    { numRuns: caseCount(200) },
  );
  t.pass('for every history that was tried');
});

t.test('after a change of one line a table sorts no others again', async (t) => {
  const { lines } = manyHeights(40_000);
  const table = new LineTable();
  table.set('s', 'row', lines);
  const before = drive(table.list());
  const known = new Set(before.entries());
  const change: IdSpan = { branch: 0, sequence: 0, offset: 20_000, length: 1 };
  table.set(
    's',
    'row',
    lines.update([change], () => ({ px: 99 })),
  );
  const made = [...drive(table.list()).entries()].filter((entry) => !known.has(entry));
  t.ok(made.length >= 1 && made.length < 4, `${made.length} entries are new`);
});
