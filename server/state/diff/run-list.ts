import { cellTag, type Block } from '../cells/block.ts';
import { blankCell, sameLane, type CodedCell } from '../cells/cell-coding.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import type { LineId } from '../ids/order.ts';
import { IntRecords } from './int-records.ts';
import type { Change } from './sides.ts';

/** A block of up to 1,024 cells of one column on both sides. */
export interface ComparedBlock {
  readonly columnId: LineId;
  readonly place: BlockPlace;
  /** Position of the column; -1 on a side without it. */
  readonly fromColumn: number;
  readonly toColumn: number;
  readonly from: Block | undefined;
  readonly to: Block | undefined;
}

/** Changed cells that are contiguous on both sides, with one content before and one after. */
export interface ChangedRun {
  readonly block: ComparedBlock;
  readonly change: Change;
  readonly lane: number;
  readonly count: number;
  /** Row of the first cell; -1 on a side without its row or column. */
  readonly fromRow: number;
  readonly toRow: number;
  readonly was: CodedCell;
  readonly is: CodedCell;
}

const changes: readonly Change[] = ['added', 'modified', 'removed'];

/** Places of the members of a run in its record. */
const member = { block: 0, lane: 1, count: 2, fromRow: 3, toRow: 4, change: 5 } as const;
const recordSize = Object.keys(member).length;

/**
 * Changed runs of a sheet in a typed array: there may be a million, and objects are made of few.
 * Their contents stay in the blocks.
 */
export class RunList implements Iterable<ChangedRun> {
  #blocks: ComparedBlock[] = [];
  #records = new IntRecords(recordSize);

  /** Makes a list of the blocks and records of another. */
  static of(blocks: ComparedBlock[], records: Int32Array): RunList {
    const made = new RunList();
    made.#blocks = blocks;
    made.#records = IntRecords.of(recordSize, records);
    return made;
  }

  get blocks(): readonly ComparedBlock[] {
    return this.#blocks;
  }

  /** The members of all runs, one run after the other. */
  get records(): Int32Array {
    return this.#records.values;
  }

  get length(): number {
    return this.#records.length;
  }

  push({ block, change, lane, count, fromRow, toRow }: Omit<ChangedRun, 'was' | 'is'>): void {
    if (this.#blocks.at(-1) !== block) this.#blocks.push(block);
    const records = this.#records;
    const index = records.add();
    records.set(index, member.block, this.#blocks.length - 1);
    records.set(index, member.lane, lane);
    records.set(index, member.count, count);
    records.set(index, member.fromRow, fromRow);
    records.set(index, member.toRow, toRow);
    records.set(index, member.change, changes.indexOf(change));
  }

  at(index: number): ChangedRun {
    const block = this.#blockAt(index);
    const lane = this.#member(index, member.lane);
    return {
      block,
      change: this.#changeAt(index),
      lane,
      count: this.#member(index, member.count),
      fromRow: this.#member(index, member.fromRow),
      toRow: this.#member(index, member.toRow),
      was: cellOf(block.from, lane),
      is: cellOf(block.to, lane),
    };
  }

  *[Symbol.iterator](): Generator<ChangedRun> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  countAt(index: number): number {
    return this.#member(index, member.count);
  }

  /** Returns whether the later state shows none of the cells of a run. */
  isGoneAt(index: number): boolean {
    return this.#member(index, member.toRow) < 0;
  }

  /** Row of the first cell of a run in the later state, or in the earlier one if it is gone. */
  rowAt(index: number): number {
    return this.#member(index, this.isGoneAt(index) ? member.fromRow : member.toRow);
  }

  /** Column of a run in the later state, or in the earlier one if it is gone. */
  columnAt(index: number): number {
    const { fromColumn, toColumn } = this.#blockAt(index);
    return this.isGoneAt(index) ? fromColumn : toColumn;
  }

  /** Counts the cells of some runs by what became of them; an index may be there several times. */
  countChanges(indexes: Int32Array): Record<Change, number> {
    const counts = { added: 0, modified: 0, removed: 0 };
    for (const index of indexes) counts[this.#changeAt(index)]++;
    return counts;
  }

  /** Returns whether two runs held the same before. */
  wereAlike(a: number, b: number): boolean {
    return sameLane(this.#cellAt('from', a), this.#cellAt('from', b));
  }

  /**
   * Returns whether cells may share an entry. If they got a formula, their former content does not
   * matter.
   */
  areOneChange(a: number, b: number): boolean {
    const change = this.#changeAt(a);
    if (change !== this.#changeAt(b)) return false;
    const is = this.#cellAt('to', a);
    if (!sameLane(is, this.#cellAt('to', b))) return false;
    return (is.tag === cellTag.formula && change !== 'removed') || this.wereAlike(a, b);
  }

  #cellAt(side: 'from' | 'to', index: number): CodedCell {
    return cellOf(this.#blockAt(index)[side], this.#member(index, member.lane));
  }

  #changeAt(index: number): Change {
    const change = changes[this.#member(index, member.change)];
    if (!change) throw new RangeError(`no run ${index}`);
    return change;
  }

  #blockAt(index: number): ComparedBlock {
    const block = this.#blocks[this.#member(index, member.block)];
    if (!block) throw new RangeError(`no run ${index}`);
    return block;
  }

  #member(index: number, at: number): number {
    return this.#records.get(index, at);
  }
}

/** Returns what a lane holds; one without a block is blank. */
export function cellOf(block: Block | undefined, lane: number): CodedCell {
  const cell = block?.cellAt(lane);
  return cell === undefined || cell.tag === cellTag.blank ? blankCell : cell;
}
