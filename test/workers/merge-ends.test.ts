import * as fc from 'fast-check';
import t from 'tap';

import { rangeName } from '../../server/model/range.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { rangeOf } from '../../server/state/structure/area.ts';
import { rangeOf as tableRange } from '../../server/state/structure/tables.ts';
import { caseCount } from '../support/case-count.ts';
import { all, kinds, op, play, set, type Edit } from '../support/merge-play.ts';
import type { StateDriver } from '../support/state-driver.ts';
import { testSeed } from '../support/test-seed.ts';

// A merge of what one side wrote on lines that the other one moved, sorted or deleted comes to what
// the two operations do one after the other on one branch. Sheet One has numbers in A1:C20.

interface Write {
  readonly kind: string;
  readonly payload: object;
}

const sheet = 'One';
const write = (kind: string, payload: object): Write => ({
  kind,
  payload: { sheet, ...payload },
});

/** Ranges of names, tables and records, and formulas, by what they are. */
function endsOf({ state }: StateDriver): readonly string[] {
  const outline = state.structure.sheets[0];
  if (!outline) throw new Error('there is no sheet');
  const names = state.nameSummaries().map(({ name, formula }) => `${name} ${formula}`);
  const tables = state.tables.all.map(
    (table) => `${table.name} ${rangeName(tableRange(table, state.structure))}`,
  );
  const records = [...state.records.all()].map(({ type, areas }) => {
    const ranges = areas.flatMap((area) => rangeOf(area, outline) ?? []);
    return `${type} ${ranges.map(rangeName).join()}`;
  });
  const formulas: string[] = [];
  for (let row = 0; row < 40; row++) {
    for (let column = 0; column < 12; column++) {
      const input = state.inputAt(outline, row, column);
      const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
      const cell = { row0: row, row1: row, column0: column, column1: column };
      if (isFormula) formulas.push(`${rangeName(cell)}:${rangeName(cell)} ${input.formula}`);
    }
  }
  return [...names, ...tables, ...records.toSorted(), ...formulas];
}

interface Case {
  readonly write: Write;
  readonly change: Write;
}

function edit({ kind, payload }: Write): Edit {
  return op(kind, payload);
}

interface Merged {
  readonly found: readonly string[];
  readonly contested: readonly string[];
}

/** Outcomes of both directions with the writer as the target, and as the source. */
function merged({ write: written, change }: Case): readonly Merged[] {
  const [one, other] = [edit(written), edit(change)];
  const driver = play({ base: prepared, ours: one, theirs: other });
  return [driver.merge(), driver.mirror()].map((outcome) => {
    return { found: endsOf(outcome.driver), contested: kinds(outcome) };
  });
}

/**
 * The write that is sent by somebody who has not seen the change; undefined where all that it is
 * about was deleted.
 */
function rebased({ write: written, change }: Case): readonly string[] | undefined {
  const { base } = play({ base: prepared, ours: all(), theirs: all() });
  const { head } = base.state;
  base.apply(change.kind, change.payload);
  const sent = base.submit(written.kind, written.payload, { baseSeq: head });
  return sent instanceof Rejection ? undefined : endsOf(base);
}

/** Numbers in no order beside texts, so that sorts move rows. */
const prepared = all(...Array.from({ length: 20 }, (_, row) => set(`A${row + 1}`, (row * 7) % 20)));

const span = (most: number) =>
  fc
    .tuple(fc.integer({ min: 2, max: most }), fc.integer({ min: 0, max: 5 }))
    .map(([from, more]) => [from, Math.min(most, from + more)] as const);
const letter = (column: number) => String.fromCodePoint(64 + column);

/** A range of some rows and columns, of two cells at least. */
const ranges = fc
  .tuple(span(14), span(8))
  .filter(([rows, columns]) => rows[0] < rows[1] || columns[0] < columns[1])
  .map(([[top, bottom], [left, right]]) => ({ top, bottom, left, right }));

const writes: fc.Arbitrary<Write> = ranges.chain(({ top, bottom, left, right }) => {
  const range = `${letter(left)}${top}:${letter(right)}${bottom}`;
  const fixed = `$${letter(left)}$${top}:$${letter(right)}$${bottom}`;
  const rule = { type: 'whole', operator: 'greaterThan', formula1: 0 };
  const custom = { type: 'custom', formula1: `=SUM(${fixed})>0` };
  return fc.constantFrom(
    write('cells.set', { cells: [{ a1: 'J20', input: `=SUM(${range})` }] }),
    write('cells.set', { cells: [{ a1: 'J20', input: `=SUM(One!${fixed})+A1` }] }),
    { kind: 'name.set', payload: { name: 'area', formula: `=One!${fixed}` } },
    write('cellmerge.add', { range }),
    write('hyperlink.set', { range, url: 'https://example.org' }),
    write('filter.set', { range, criteria: [] }),
    write('cf.set', { ranges: [range], rule: { type: 'uniqueValues' }, style: { bold: true } }),
    write('validation.set', { ranges: [range], rule }),
    write('validation.set', { ranges: ['J20'], rule: custom }),
    write('protect.set', { ranges: [range], who: ['*'] }),
    { kind: 'table.create', payload: { name: 'T', sheetRange: `One!${range}` } },
  );
});

const before = (from: number, count: number) =>
  fc.integer({ min: 2, max: 18 }).filter((line) => line < from || line > from + count);

const changes: fc.Arbitrary<Write> = fc
  .tuple(span(14), span(9))
  .chain(([[from, to], [first, last]]) => {
    const [count, width] = [to - from + 1, last - first + 1];
    return fc
      .tuple(before(from, count), before(first, width), fc.boolean())
      .chain(([row, column, desc]) =>
        fc.constantFrom(
          write('rows.move', { from, count, before: row }),
          write('cols.move', { from: letter(first), count: width, before: letter(column) }),
          write('rows.delete', { from, count }),
          write('cols.delete', { from: letter(first), count: width }),
          write('rows.insert', { before: from, count }),
          write('range.sort', { range: `${from}:${to}`, keys: [{ col: 'A', desc }] }),
        ),
      );
  });

const cases: fc.Arbitrary<Case> = fc.record({ write: writes, change: changes });

/** Tables have lines of their own to ask about: they are only held against the other direction. */
function isTable({ write: { kind } }: Case): boolean {
  return kind === 'table.create';
}

t.test('what one side wrote where the other moved lines is as it is one after the other', (t) => {
  let compared = 0;
  const law = fc.property(cases, (one) => {
    const expected = rebased(one);
    if (!expected || isTable(one)) return;
    for (const { found, contested } of merged(one)) {
      // A link or a note in a line that the other side deleted is asked about.
      if (contested.some((kind) => kind.endsWith('edit_delete'))) return;
      if (contested.length > 0) throw new Error(`asks about ${contested.join()}`);
      if (String(found) !== String(expected)) {
        throw new Error(`comes to ${found.join('; ')} and not to ${expected.join('; ')}`);
      }
    }
    compared++;
  });
  fc.assert(law, { numRuns: caseCount(200), seed: testSeed });
  t.ok(compared > 0);
  t.end();
});

t.test('a new table lies on the same rows from both directions', (t) => {
  const law = fc.property(cases.filter(isTable), (one) => {
    if (!rebased(one)) return;
    const [target, source] = merged(one);
    if (target && source && target.contested.length + source.contested.length === 0) {
      if (String(target.found) !== String(source.found)) {
        throw new Error(`${target.found.join('; ')}, and from there ${source.found.join('; ')}`);
      }
    }
  });
  fc.assert(law, { numRuns: caseCount(100), seed: testSeed });
  t.end();
});

const moveRow4 = write('rows.move', { from: 4, count: 1, before: 13 });
const formulaOf = (input: string) => write('cells.set', { cells: [{ a1: 'D20', input }] });

const fixed: readonly (Case & { readonly comes: string })[] = [
  { write: formulaOf('=SUM(B2:B4)'), change: moveRow4, comes: 'D20:D20 =SUM(B2:B3)' },
  {
    write: formulaOf('=SUM(B4:B6)'),
    change: write('rows.move', { from: 4, count: 1, before: 2 }),
    comes: 'D20:D20 =SUM(B5:B6)',
  },
  {
    write: formulaOf('=SUM(A1:C1)'),
    change: write('cols.move', { from: 'C', count: 1, before: 'I' }),
    comes: 'C20:C20 =SUM(A1:B1)',
  },
  {
    write: { kind: 'name.set', payload: { name: 'area', formula: '=One!$B$2:$B$4' } },
    change: moveRow4,
    comes: 'area =One!$B$2:$B$3',
  },
  {
    write: { kind: 'table.create', payload: { name: 'T', sheetRange: 'One!E1:F4' } },
    change: moveRow4,
    comes: 'T E1:F3',
  },
  { write: write('cellmerge.add', { range: 'K2:L4' }), change: moveRow4, comes: 'cellmerge K2:L3' },
  {
    write: write('cellmerge.add', { range: 'H9:I10' }),
    change: write('rows.move', { from: 9, count: 1, before: 7 }),
    comes: 'cellmerge H10:I10',
  },
  {
    write: write('hyperlink.set', { range: 'K2:K4', url: 'https://example.org' }),
    change: moveRow4,
    comes: 'hyperlink K2:K3',
  },
  {
    write: write('filter.set', { range: 'A2:C4', criteria: [] }),
    change: moveRow4,
    comes: 'filter A2:C3',
  },
];

for (const one of fixed) {
  t.test(`${one.write.kind} and ${one.change.kind}: ${one.comes}`, (t) => {
    const [target, source] = merged(one);
    t.strictSame(target?.found, source?.found, 'the same from both directions');
    t.ok(target?.found.some((text) => text.startsWith(one.comes)));
    t.end();
  });
}

t.test('rules of a block that one side cut follow the rows that the other one moves', (t) => {
  const rule = { type: 'whole', operator: 'greaterThan', formula1: 0 };
  const base = all(prepared, op('validation.set', { sheet, ranges: ['B1:B16'], rule }));
  const cut = op('range.move', { sheet, source: 'B4:C6', to: 'K2' });
  const sort = write('range.sort', { range: '4:12', keys: [{ col: 'A', desc: true }] });
  for (const change of [sort, moveRow4]) {
    const driver = play({ base, ours: cut, theirs: edit(change) });
    const { base: onOne } = play({
      base: all(base, cut, edit(change)),
      ours: all(),
      theirs: all(),
    });
    for (const { driver: outcome } of [driver.merge(), driver.mirror()]) {
      t.strictSame(endsOf(outcome), endsOf(onOne), change.kind);
    }
  }
  t.end();
});

t.test('a row that is kept comes back into the rules and threads that it was in', (t) => {
  const uniqueValues = { type: 'uniqueValues' };
  const rule = { type: 'whole', operator: 'greaterThan', formula1: 0 };
  const bases: readonly Write[] = [
    write('comment.add', { a1: 'A5', text: 'why?' }),
    write('cf.set', { ranges: ['A3:A5'], rule: uniqueValues, style: { bold: true } }),
    write('validation.set', { ranges: ['A3:A5'], rule }),
    write('protect.set', { ranges: ['A3:A5'], who: ['*'] }),
  ];
  for (const base of bases) {
    const scenario = {
      base: edit(base),
      ours: set('B5', 99),
      theirs: op('rows.delete', { sheet, from: 5, count: 1 }),
    };
    const driver = play(scenario);
    const kept = [driver.merge({ otherwise: 'ours' }), driver.mirror({ otherwise: 'theirs' })];
    for (const outcome of kept) {
      t.strictSame(kinds(outcome), ['row.edit_delete']);
      t.strictSame(endsOf(outcome.driver), endsOf(driver.base), base.kind);
    }
  }
  t.end();
});
