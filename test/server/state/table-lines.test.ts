import * as fc from 'fast-check';
import t from 'tap';

import type { Operation } from '../../../server/model/operation.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import { replay } from '../../../server/state/admission.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import { dataRange, rangeOf } from '../../../server/state/structure/tables.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { caseCount } from '../../support/case-count.ts';
import { NodeStore } from '../../support/node-store.ts';
import { drive } from '../../support/state-driver.ts';
import { UndoDriver } from '../../support/undo-driver.ts';

/** Runs long: a law over random tables. */

// Rows come and go through all doors of a sheet where a table lies, beside a list of its rows.

type Row = readonly [key: string | null, n: number | null];

type Step =
  | { readonly kind: 'insert' | 'delete'; readonly door: Door; readonly at: number; count: number }
  | { readonly kind: 'move'; readonly at: number; readonly count: number; readonly to: number }
  | { readonly kind: 'upsert'; readonly key: string; readonly n: number }
  | { readonly kind: 'type'; readonly at: number; readonly key: string | null };

type Door = 'rows' | 'cells';

const place = fc.nat(6);
const count = fc.integer({ min: 1, max: 7 });
const key = fc.constantFrom('a', 'b', 'c', 'd');
const door = fc.constantFrom<Door>('rows', 'cells');
const just = <Kind extends string>(kind: Kind) => fc.constant(kind);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: just('insert'), door, at: place, count }) },
  { weight: 4, arbitrary: fc.record({ kind: just('delete'), door, at: place, count }) },
  { weight: 1, arbitrary: fc.record({ kind: just('move'), at: place, count, to: place }) },
  { weight: 3, arbitrary: fc.record({ kind: just('upsert'), key, n: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: just('type'), at: place, key: fc.option(key) }) },
);

const formula = '=[@n]*$H$1';
const blank: Row = [null, null];

class Play {
  readonly driver = new UndoDriver(new Formulas());
  rows: Row[] = [blank];
  readonly #totals: boolean;

  constructor(totals: boolean) {
    this.#totals = totals;
    const { driver } = this;
    driver.apply('sheet.add', { name: 'One' });
    const columns = [{ name: 'key' }, { name: 'n' }, { name: 'product', formula }];
    const sheetRange = `One!B2:D${totals ? 4 : 3}`;
    const table = { name: 'T', keyColumn: 'key', sheetRange, schema: { columns } };
    driver.apply('table.create', { ...table, totalsRow: totals });
    driver.apply('cells.set', {
      cells: [
        { a1: 'H1', input: 3 },
        { a1: 'B8', input: 'below' },
        { a1: 'H2', input: '=SUM(T[product])' },
        ...(totals ? [{ a1: 'B4', input: 'total' }] : []),
      ],
    });
  }

  run(one: Step): void {
    const { rows } = this;
    const at = 'at' in one ? one.at % rows.length : 0;
    const taken = 'count' in one ? Math.min(one.count, rows.length - at) : 0;
    switch (one.kind) {
      case 'insert':
        this.#edit(one.door, 'insert', at, one.count);
        this.rows.splice(at, 0, ...Array.from({ length: one.count }, () => blank));
        return;
      case 'delete':
        this.#edit(one.door, 'delete', at, taken);
        this.rows.splice(at, taken);
        if (this.rows.length === 0) this.rows.push(blank);
        return;
      case 'move':
        return this.#move(at, taken, one.to % (rows.length + 1));
      case 'upsert':
        return this.#upsert(one.key, one.n);
      case 'type': {
        const cells = [{ a1: `B${at + 3}`, input: one.key }];
        this.driver.apply('cells.set', { cells });
        rows[at] = [one.key, rows[at]?.[1] ?? null];
      }
    }
  }

  #edit(by: Door, kind: 'insert' | 'delete', at: number, count: number): void {
    const from = at + 3;
    if (by === 'cells') {
      const range = `B${from}:D${from + count - 1}`;
      this.driver.apply(`range.${kind}`, {
        sheet: 'One',
        range,
        shift: kind === 'insert' ? 'down' : 'up',
      });
    } else if (kind === 'insert') {
      // Rows below the header look like the row below them.
      this.driver.apply('rows.insert', { sheet: 'One', before: from, count });
    } else this.driver.apply('rows.delete', { sheet: 'One', from, count });
  }

  #move(at: number, count: number, to: number): void {
    // Rows that are all there are, and a place beyond the last one, are no places within.
    if (to >= at && to <= at + count) return;
    if (to === this.rows.length && !this.#totals) return;
    this.driver.apply('rows.move', { sheet: 'One', from: at + 3, count, before: to + 3 });
    const moved = this.rows.splice(at, count);
    this.rows.splice(to > at ? to - count : to, 0, ...moved);
  }

  #upsert(key: string, n: number): void {
    this.driver.apply('rows.upsert', { table: 'T', rows: [{ key, n }] });
    const known = this.rows.findIndex((row) => row[0] === key);
    const [first] = this.rows;
    const isEmpty = this.rows.length === 1 && first?.[0] === null && first[1] === null;
    if (known >= 0) this.rows[known] = [key, n];
    else if (isEmpty) this.rows = [[key, n]];
    else this.rows.push([key, n]);
  }

  check(): void {
    const { driver, rows } = this;
    const { structure, tables } = driver.state;
    const table = tables.named('T');
    if (!table) throw new Error('the table is gone');
    const data = dataRange(table, rangeOf(table, structure));
    const range = `B${data.row0 + 1}:D${data.row1 + 1}`;
    const factor = driver.rows('H1:H20').flat().indexOf(3) + 1;
    const wanted = rows.map(([key, n]) => [key, n, `=[@n]*$H$${factor}`]);
    const seen = JSON.stringify(driver.rows(range));
    if (seen !== JSON.stringify(wanted))
      throw new Error(`${seen} and not ${JSON.stringify(wanted)}`);
  }

  /** A snapshot of now, with what is to be replayed on it later. */
  store(): { readonly state: BranchState; readonly from: number } {
    const store = new NodeStore();
    const coding = new CellCoding(new Formulas());
    return {
      state: store.load(store.save(this.driver.state), coding),
      from: this.driver.admitted.length,
    };
  }

  /** States that others make of the same: from the journal, and from a snapshot and its rest. */
  checkOthers(stored: ReturnType<Play['store']>): void {
    const { driver } = this;
    const hash = drive(driver.state.stateHash());
    const { state, mutations } = driver.replayed();
    const admitted = driver.admitted.map((operation) => operation.mutations);
    if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
    if (drive(state.stateHash()) !== hash) throw new Error('the journal says otherwise');
    for (const { kind, payload, resolved } of driver.admitted.slice(stored.from)) {
      drive(replay(stored.state, { kind, payload } as Operation, resolved));
    }
    if (drive(stored.state.stateHash()) !== hash) throw new Error('the snapshot says otherwise');
  }

  /** Takes the latest operation back and does it again. */
  checkUndo(): void {
    const { driver } = this;
    const before = drive(driver.at(driver.state.head - 1).stateHash());
    const undone = driver.undo();
    if (undone instanceof Rejection && undone.code === 'nothing_to_undo') return;
    if (drive(driver.state.stateHash()) !== before) throw new Error('undone to something else');
    driver.undo();
  }
}

for (const totals of [false, true]) {
  t.test(`a table is a list of its rows, whatever door they take, ${totals}`, async (t) => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    let ran = 0;
    fc.assert(
      fc.property(steps, fc.nat(12), (all, undone) => {
        const play = new Play(totals);
        let stored = play.store();
        for (const [index, one] of all.entries()) {
          const { head } = play.driver.state;
          play.run(one);
          ran++;
          play.check();
          if (index === undone && play.driver.state.head > head) play.checkUndo();
          play.check();
          if (index * 2 === undone) stored = play.store();
        }
        play.checkOthers(stored);
      }),
      { numRuns: caseCount(60), seed: 7 },
    );
    t.ok(ran > 0, 'some rows came and went');
  });
}
