import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import { loadRange } from './cell-reads.ts';
import type { SheetSession } from './sheet-session.ts';

const blockRows = 2_048;
const blockColumns = 32;

/** Cells that are filled, in blocks that are loaded when somebody asks: all of one position. */
class FilledCells {
  readonly used: Range;
  readonly #session: SheetSession;
  readonly #source: SheetSession['source'];
  readonly #blocks = new Map<string, Promise<readonly (readonly unknown[])[]>>();

  constructor(session: SheetSession, used: Range) {
    this.used = used;
    this.#session = session;
    this.#source = session.source;
  }

  /** Returns whether a cell holds anything; what waits to be saved counts as it was typed. */
  async has(row: number, column: number): Promise<boolean> {
    if (!holdsCell(this.used, { row, column })) return false;
    if (this.#session.markAt(row, column) === 'waiting') {
      return this.#session.cellAt(row, column)?.kind !== 'blank';
    }
    const [row0, column0] = [row - (row % blockRows), column - (column % blockColumns)];
    const rows = await this.#blockAt(row0, column0);
    return (rows[row - row0]?.[column - column0] ?? null) !== null;
  }

  #blockAt(row0: number, column0: number): Promise<readonly (readonly unknown[])[]> {
    const key = `${row0}:${column0}`;
    const known = this.#blocks.get(key);
    if (known) return known;
    const range = {
      row0,
      column0,
      row1: Math.min(this.used.row1, row0 + blockRows - 1),
      column1: Math.min(this.used.column1, column0 + blockColumns - 1),
    };
    const rows = loadRange(this.#session.service, this.#source, { range, lens: 'value' });
    this.#blocks.set(key, rows);
    return rows;
  }

  /** Returns the last filled cell before a blank one, in the direction of an arrow. */
  async endOf({ row, column }: Address, [down, right]: readonly [number, number]) {
    const signal = new AbortController().signal;
    if (!(await this.has(row, column)) || !(await this.has(row + down, column + right))) {
      return { row, column };
    }
    return this.#session.edgeOf({ row, column }, [down, right], signal);
  }
}

/**
 * Returns the block of cells around one, whose border is blank or ends the sheet: what Excel sorts
 * and filters when one cell is selected. It is loaded as far as it has to be.
 */
export async function currentRegion(session: SheetSession, from: Address): Promise<Range> {
  const { row, column } = from;
  const alone = { row0: row, row1: row, column0: column, column1: column };
  if (!session.shape) return alone;
  const cells = new FilledCells(session, session.shape.used);
  // Long runs through the cell itself need no look at each of their cells.
  const [up, down, left, right] = [
    await cells.endOf(from, [-1, 0]),
    await cells.endOf(from, [1, 0]),
    await cells.endOf(from, [0, -1]),
    await cells.endOf(from, [0, 1]),
  ];
  let region = { row0: up.row, row1: down.row, column0: left.column, column1: right.column };
  for (;;) {
    const grown = await grownOnce(region, cells);
    if (grown === region) return region;
    region = grown;
  }
}

/** Lets each side go on as long as cells beyond it hold anything. */
async function grownOnce(from: Range, cells: FilledCells): Promise<Range> {
  let region = from;
  for (const side of sides) {
    for (;;) {
      if (!(await holdsAny(stripOf(region, side), cells))) break;
      region = { ...region, [side.member]: region[side.member] + side.by };
    }
  }
  return region;
}

interface Side {
  readonly member: keyof Range;
  readonly by: 1 | -1;
}

const sides: readonly Side[] = [
  { member: 'row0', by: -1 },
  { member: 'row1', by: 1 },
  { member: 'column0', by: -1 },
  { member: 'column1', by: 1 },
];

/** Returns the cells beyond one side of a block, with those of the corners. */
function stripOf({ row0, row1, column0, column1 }: Range, { member }: Side): Range {
  const around = { row0: row0 - 1, row1: row1 + 1, column0: column0 - 1, column1: column1 + 1 };
  const line = around[member];
  return member === 'row0' || member === 'row1'
    ? { ...around, row0: line, row1: line }
    : { ...around, column0: line, column1: line };
}

async function holdsAny(range: Range, cells: FilledCells): Promise<boolean> {
  const { used } = cells;
  for (let row = Math.max(used.row0, range.row0); row <= Math.min(used.row1, range.row1); row++) {
    const last = Math.min(used.column1, range.column1);
    for (let column = Math.max(used.column0, range.column0); column <= last; column++) {
      if (await cells.has(row, column)) return true;
    }
  }
  return false;
}
