import { readFileSync } from 'node:fs';

import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { seen } from '../../support/seen-state.ts';
import {
  formats,
  lineDeletes,
  names,
  orders,
  properties,
  settings,
  sheetDeletes,
  values,
  type Drawn,
  type Killed,
} from '../../support/commuting-operations.ts';
import {
  annotations,
  book,
  merges,
  rules,
  schemas,
  tableRows,
  talk,
} from '../../support/commuting-records.ts';
import { StateDriver } from '../../support/state-driver.ts';

/** Runs long: random pairs of all kinds of operations. */

// The whole table of commutation, pair by pair, against operations drawn for each class. Both are
// written against one position, and done in either order.

const casesPerPair = Number(process.env['COMMUTATION_CASES'] ?? 20);
const seed = Number(process.env['COMMUTATION_SEED'] ?? 20_260_101);

const classes: Readonly<Record<string, fc.Arbitrary<Drawn>>> = {
  V: values,
  F: formats,
  D: properties,
  N: annotations,
  M: merges,
  O: orders,
  Er: lineDeletes,
  Es: sheetDeletes,
  Nm: names,
  P: rules,
  S: schemas,
  R: tableRows,
  W: settings,
};

/** Beside and below the table: rows and columns of the sheet are then not the table's alone. */
const surroundings = fc.constantFrom('E3', 'B9').map((a1) => ({
  kind: 'cells.set',
  payload: { sheet: 'Two', cells: [{ a1, input: 'beside' }] },
  writes: {},
}));

const apart = fc
  .oneof(values, formats, properties, annotations, merges, orders)
  .filter(({ payload }) => {
    // Only edits of One are kept: the table stands on the other sheet and is to stay there.
    return 'sheet' in payload && payload.sheet === 'One';
  });

const before = fc.array(
  fc.oneof({ weight: 3, arbitrary: apart }, { weight: 1, arbitrary: surroundings }),
  { maxLength: 3 },
);

function startedBook(): BranchState {
  const driver = new StateDriver();
  for (const name of ['One', 'Two', 'Three']) driver.apply('sheet.add', { name });
  const one = { sheet: 'One' };
  const inputs = Array.from({ length: 8 }, (_, row) => [row, `t${row}`, `=A${row + 1}+1`, 5, 6]);
  driver.apply('range.set', { ...one, range: 'A1:E8', inputs });
  const rows = [book.columns, ...book.keys.map((key) => [key, key * 10, `w${key}`])];
  driver.apply('range.set', { sheet: 'Two', range: 'A1:C5', inputs: rows });
  driver.apply('table.create', { name: book.table, sheetRange: 'Two!A1:C5', keyColumn: 'k' });
  driver.apply('cells.set', { sheet: 'Three', cells: [{ a1: 'A1', input: '=SUM(One!B2:C4)' }] });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2:C4' });
  driver.apply('name.set', { name: 'rate', ref: 'Two!E5' });
  driver.apply('style.define', { id: 'Good', style: { italic: true } });
  driver.apply('note.set', { ...one, a1: 'B2', text: 'first' });
  driver.apply('comment.add', {
    ...one,
    a1: 'C3',
    text: 'why?',
    thread: talk.thread,
    comment: talk.comment,
  });
  driver.apply('cellmerge.add', { ...one, range: 'D5:E6' });
  const ranges = { ...one, ranges: ['B2:B5'] };
  const list = { type: 'list', items: ['b'] };
  driver.apply('validation.set', { ...ranges, id: 'dv1', rule: list, onInvalid: 'warn' });
  for (const id of ['cf1', 'cf2']) {
    driver.apply('cf.set', { ...ranges, id, rule: { type: 'uniqueValues' } });
  }
  driver.apply('protect.set', { ...ranges, id: 'p1', who: ['*'] });
  return driver.state;
}

t.setTimeout(240_000);

const started = startedBook();

function baseOf(operations: readonly Drawn[]): BranchState {
  const driver = new StateDriver();
  driver.take(started.fork());
  for (const { kind, payload } of operations) driver.submit(kind, payload);
  return driver.state;
}

interface Outcome {
  readonly state: BranchState;
  /** Result of the second operation: `none`, `noop`, `clipped`, or the code of its refusal. */
  readonly code: string;
}

function codeOf(result: ReturnType<StateDriver['submit']>): string {
  if (result instanceof Rejection) return result.code;
  if (result.status === 'noop') return 'noop';
  return result.clipped.length > 0 ? 'clipped' : 'none';
}

function inOrder(base: BranchState, [first, second]: readonly Drawn[], strict: boolean): Outcome {
  const driver = new StateDriver();
  driver.take(base.fork());
  if (first) driver.submit(first.kind, first.payload);
  const options = { baseSeq: base.head, strict };
  const code = second ? codeOf(driver.submit(second.kind, second.payload, options)) : 'none';
  return { state: driver.state, code };
}

function isDone(base: BranchState, operation: Drawn): boolean {
  const driver = new StateDriver();
  driver.take(base.fork());
  return codeOf(driver.submit(operation.kind, operation.payload)) === 'none';
}

interface Relation {
  /** Registers that both write, to different values. */
  readonly differing: readonly string[];
  readonly isSame: boolean;
  readonly isApart: boolean;
  /** True when one reads what the other writes, or both put something into one gap. */
  readonly isOrdered: boolean;
}

function relationOf(a: Drawn, b: Drawn): Relation {
  const shared = Object.keys(a.writes).filter((register) => register in b.writes);
  const differing = shared.filter((register) => a.writes[register] !== b.writes[register]);
  const width = Math.max(Object.keys(a.writes).length, Object.keys(b.writes).length);
  const gaps = a.reads?.some((read) => b.reads?.includes(read)) === true;
  const isOrdered = gaps || readsOf(a, b) || readsOf(b, a);
  const isSame = width > 0 && differing.length === 0 && shared.length === width;
  return { differing, isSame, isApart: shared.length === 0, isOrdered };
}

function readsOf({ reads = [] }: Drawn, { writes }: Drawn): boolean {
  return reads.some((read) => read in writes);
}

interface Loss {
  readonly isSplit: boolean;
  /** True when one deletes the place of something that the other writes or looks at. */
  readonly isTouched: boolean;
  /** Registers and gaps that the deletion would silently lose. */
  readonly missed: readonly string[];
}

function lossOf({ kills }: Drawn, { writes, reads = [], splits = [] }: Drawn): Loss {
  const isGone = (register: string) => kills !== undefined && isKilled(register, kills);
  const gone = [...Object.keys(writes), ...reads].filter(isGone);
  const missed = gone.filter((register) => {
    return register in writes ? writes[register] !== 'null' : /^(?:gap|T) /u.test(register);
  });
  return { isSplit: splits.some(isGone), isTouched: gone.length > 0, missed };
}

function isKilled(register: string, { sheet, lines }: Killed): boolean {
  const place = new RegExp(` ${sheet}!([A-Z]*)(\\d*)`, 'u').exec(register);
  if (!place || !lines) return place !== null;
  const [, letters = '', digits = ''] = place;
  const at = lines.axis === 'row' ? Number(digits) : letters.charCodeAt(0) - 64;
  return at >= lines.from && at < lines.from + lines.count;
}

interface Cell {
  readonly name: string;
  readonly code: string;
}

/** Fails where the two do not get along as the cell says; answers what kind of case it was. */
function check({ code }: Cell, base: BranchState, both: readonly [Drawn, Drawn]): string {
  const [a, b] = both;
  const relation = relationOf(a, b);
  const losses = [lossOf(a, b), lossOf(b, a)];
  if (code === 'C' && !relation.isApart) throw new Error('the classes share a register');
  const codes = [inOrder(base, [a, b], true).code, inOrder(base, [b, a], true).code];
  if (relation.differing.length > 0) return checkConflict(codes, relation);
  checkStrict(code, codes, { relation, losses });
  if (relation.isOrdered || losses.some(({ isSplit }) => isSplit)) return 'ordered';
  checkSame(code, base, both);
  return losses.some(({ isTouched }) => isTouched) ? 'deleted' : 'commuted';
}

function checkStrict(
  code: string,
  codes: readonly string[],
  { relation, losses }: { relation: Relation; losses: readonly Loss[] },
): void {
  const isTouched = losses.some((loss) => loss.isTouched);
  const mayConflict = relation.isOrdered || (code === 'K' && isTouched);
  const isNeedless = relation.isSame || (relation.isApart && !mayConflict);
  if (isNeedless && codes.includes('conflict')) {
    throw new Error(`a needless conflict: ${codes.join(', ')}`);
  }
  const missed = losses.flatMap((loss) => loss.missed);
  if (code === 'K' && missed.length > 0 && codes.includes('none')) {
    throw new Error(`${missed.join()} was lost: ${codes.join(', ')}`);
  }
}

/**
 * Checks that both orders leave the same; in rebase mode, a change refused in one order is deleted
 * in the other.
 */
function checkSame(code: string, base: BranchState, [a, b]: readonly [Drawn, Drawn]): void {
  const [one, other] = [inOrder(base, [a, b], false), inOrder(base, [b, a], false)];
  // No sort may tear merged cells apart: whoever comes second is refused.
  if ([one.code, other.code].includes('merge_overlap')) return;
  const [left, right] = [shown(one.state, code), shown(other.state, code)];
  if (left === right) return;
  throw new Error(`not the same (${one.code}, ${other.code}):\n${difference(left, right)}`);
}

/** Which of two lines at an end of an area went first decides how far the area reaches. */
function shown(state: BranchState, code: string): string {
  const text = seen(state);
  return code === 'ends' ? text.replaceAll(/\$?[A-Z]+\$?\d+(?::\$?[A-Z]+\$?\d+)?/gu, 'area') : text;
}

/**
 * Checks that both orders are refused, or at least one if an operation reads what the other writes.
 */
function checkConflict(codes: readonly string[], { differing, isOrdered }: Relation): string {
  const isRefused = isOrdered ? codes.some((code) => code !== 'none') : !codes.includes('none');
  if (isRefused) return 'conflict';
  throw new Error(`no conflict, though both write ${differing.join(', ')}: ${codes.join(', ')}`);
}

function difference(left: string, right: string): string {
  const [ours, theirs] = [left.split('\n'), right.split('\n')];
  const own = ours.filter((line) => !theirs.includes(line));
  return [...own, '---', ...theirs.filter((line) => !ours.includes(line))].slice(0, 20).join('\n');
}

function readTable(): Cell[] {
  const file = new URL('../../../../test/golden/commutation.tsv', import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  const [top = '', ...rows] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const columns = top.split('\t').slice(1);
  return rows.flatMap((line) => {
    const [row = '', ...codes] = line.split('\t');
    return codes.flatMap((code, index) => {
      return code === '' ? [] : [{ name: `${row} ${columns[index] ?? ''}`, code }];
    });
  });
}

for (const cell of readTable()) {
  const [left = '', right = ''] = cell.name.split(' ');
  t.test(`${left} and ${right}: ${cell.code}`, async (t) => {
    const counts: Record<string, number> = {};
    const [ours, theirs] = [classes[left], classes[right]];
    if (!ours || !theirs) throw new Error(`no operations for ${cell.name}`);
    fc.assert(
      fc.property(before, ours, theirs, (operations, a, b) => {
        const base = baseOf(operations);
        const isPossible = isDone(base, a) && isDone(base, b);
        const outcome = isPossible ? check(cell, base, [a, b]) : 'impossible';
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }),
      { numRuns: casesPerPair, seed, includeErrorInReport: true },
    );
    t.comment(JSON.stringify(counts));
    t.ok((counts['impossible'] ?? 0) < casesPerPair, 'some can be done');
  });
}
