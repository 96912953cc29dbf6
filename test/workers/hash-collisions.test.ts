import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { useHashKey } from '../../workers/hash-key.ts';
import { Kernel } from '../../workers/kernel.ts';
import {
  meetingKeys,
  meetingNumbers,
  meetingRows,
  meetingTexts,
} from '../support/former-hashes.ts';

/** Keys that somebody made to meet are spread over a table like others. Steps are counted. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
/** A table is at most full, so its chains are short; linear probing takes a little more. */
const probesMost = 4;

const drawnKey = Uint8Array.from({ length: 16 }, (_, index) => (index * 37 + 11) & 255);

function columnOf(column: number, inputs: readonly Input[]): Mutation {
  return { kind: 'column', sheet: 1, row: 0, column, inputs };
}

/**
 * Returns the entries of hash tables that a workbook with these columns looks at, to build and to
 * calculate.
 */
function probesOf(...columns: readonly (readonly Input[])[]): number {
  return probesAfter(columns.map((inputs, column) => columnOf(column, inputs)));
}

function probesAfter(mutations: readonly Mutation[]): number {
  useHashKey(drawnKey);
  const kernel = Kernel.create();
  kernel.apply([{ kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 }, ...mutations]);
  while (!kernel.recalculate(now, 1e9));
  return kernel.statistics().probes;
}

const ordinary = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `text ${index}`);

t.test('texts that are kept', async (t) => {
  const count = 60_000;
  const texts = meetingTexts(count);
  t.equal(new Set(texts).size, count);
  t.ok(probesOf(texts) < count * probesMost);
  t.ok(probesOf(ordinary(count)) > 0, 'steps are counted');
});

t.test('texts that are let go again', async (t) => {
  const texts = meetingTexts(20_000);
  const mutations = [columnOf(0, texts), columnOf(0, ordinary(20_000))];
  t.ok(probesAfter(mutations) < 60_000 * probesMost);
});

for (const [name, keys] of [
  ['texts', meetingKeys(4_000, 12)],
  ['numbers', meetingNumbers(4_000)],
] as const) {
  t.test(`${name} that are looked up`, async (t) => {
    const formulas = keys.map((_, index) => ({ formula: `=MATCH(A${index + 1},A$1:A$4000,0)` }));
    t.ok(probesOf(keys, formulas) < 6 * keys.length * probesMost);
  });

  t.test(`${name} that are criteria`, async (t) => {
    const formulas = keys.map((_, index) => ({ formula: `=COUNTIF(A$1:A$4000,A${index + 1})` }));
    t.ok(probesOf(keys, formulas) < 6 * keys.length * probesMost);
  });

  t.test(`${name} of which each is wanted once`, async (t) => {
    t.ok(probesOf(keys, [{ formula: '=ROWS(UNIQUE(A1:A4000))' }]) < 3 * keys.length * probesMost);
  });
}

t.test('names', async (t) => {
  const names = meetingKeys(3_000, 12);
  const mutations = names.map((name, index): Mutation => {
    return { kind: 'nameSet', name, scope: undefined, formula: `=${index}` };
  });
  // Each is looked for some times: when it is set, and when it is looked whether formulas use it.
  t.ok(probesAfter(mutations) < 6 * names.length * probesMost);
});

t.test('more names than there were places', async (t) => {
  const mutations = ordinary(20_000).map((text, index): Mutation => {
    const name = text.replace(' ', '_');
    return { kind: 'nameSet', name, scope: undefined, formula: `=${index}` };
  });
  t.ok(probesAfter(mutations) < 6 * mutations.length * probesMost);
});

t.test('cells that wait for one another', async (t) => {
  const rows = meetingRows(500, 10);
  const chain = rows.map((row, index): Mutation => {
    const next = rows[index + 1];
    const formula = next === undefined ? '=1' : `=A${next + 1}+1`;
    return { kind: 'cell', sheet: 1, row, column: 0, input: { formula } };
  });
  t.ok(probesAfter(chain) < 6 * rows.length * probesMost);
});

t.test('formulas that differ in what is no literal', async (t) => {
  const formulas = Array.from({ length: 5_000 }, (_, index) => {
    return { formula: `=$A$${index + 7}+B${(index % 100) + 9}` };
  });
  t.ok(probesOf([], [], [], formulas) < 2 * formulas.length * probesMost);
});
