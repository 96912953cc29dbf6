import { findKeys } from '../../server/tables/reading/row-keys.ts';
import { extentOf } from '../../server/state/tables/table-extent.ts';
import { drive } from './state-driver.ts';
import type { TableModel } from './table-model.ts';

const keys = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5'];

/** State of a model as a reader has it while the model is written. */
export class WatchedTable {
  readonly #model: TableModel;
  readonly #watched;
  readonly #table;
  readonly #before: string;

  constructor(model: TableModel) {
    this.#model = model;
    this.#table = model.table;
    const { state } = model.driver;
    // Indexes are made at their first use.
    this.#find(state);
    this.#before = JSON.stringify([this.#find(state), drive(state.stateHash())]);
    this.#watched = state.watched();
  }

  /** Fails if the reader sees anything but the old state. */
  check(): void {
    const { state, release, adoptedBy } = this.#watched;
    const now = JSON.stringify([this.#find(state), drive(state.stateHash())]);
    if (now !== this.#before) throw new Error(`seen ${now} instead of ${this.#before}`);
    release();
    adoptedBy(this.#model.driver.state);
  }

  #find(state: TableModel['driver']['state']): (number | undefined)[] {
    const table = state.tables.find(this.#table);
    if (!table) throw new Error('the table is gone');
    return drive(findKeys(state, { table, extent: extentOf(table, state) }, keys));
  }
}
