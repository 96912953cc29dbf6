import { parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import { shiftsOf } from '../../../server/model/shift.ts';
import type { FollowedShift } from '../grid/selection.ts';
import type { Pending } from '../../library/pending.ts';
import { cellsOf, memberText, type News, type Op } from '../store/overlay.ts';

/**
 * Kinds of operation that leave sizes, lines and records as they are: only cells are loaded again.
 */
const cellKinds = new Set(['cells.set', 'range.set', 'range.clear', 'format.set', 'numfmt.set']);

/** Operations of a branch that are not shown yet, in any order. */
export class NewsList {
  /** Number of operations that other writers have applied so far. */
  othersCount = 0;
  #news: News[] = [];

  add(news: readonly News[], own = ''): void {
    this.#news.push(...news);
    const others = news.filter(({ writer }) => writer !== undefined && writer !== own);
    this.othersCount += others.length;
  }

  clear(): void {
    this.#news = [];
  }

  /** Drops operations up to a position, which is now shown. */
  shown(seq: number): void {
    this.#news = this.#news.filter((one) => one.seq > seq);
  }

  /** Returns the operations after a position. */
  after(seq: number): readonly News[] {
    return this.#news.filter((one) => one.seq > seq);
  }

  /** Returns whether all operations from one position to another only write cells. */
  areCells(after: number, through: number): boolean {
    const between = this.#between(after, through);
    const seqs = new Set(between.map(({ seq }) => seq));
    return seqs.size === through - after && between.every(({ kind }) => cellKinds.has(kind));
  }

  /** Returns the shifts of a sheet's lines between two positions. */
  shifts(sheet: readonly string[], after: number, through: number): readonly FollowedShift[] {
    return this.#between(after, through).flatMap(({ kind, payload, isOwn = false }) => {
      const isHere = sheet.includes(memberText(payload, 'sheet'));
      const shifts = isHere ? (shiftsOf(kind, payload) ?? []) : [];
      return shifts.map((shift) => ({ ...shift, isOwn }));
    });
  }

  /**
   * Returns the newest position with the lines of the shown one, so that typed addresses are valid
   * there.
   */
  addressSeq(shown: number, head: number): number {
    const moved = this.#news.filter(({ seq, kind }) => seq > shown && !cellKinds.has(kind));
    return moved.length === 0 ? head : Math.min(...moved.map(({ seq }) => seq)) - 1;
  }

  #between(after: number, through: number): readonly News[] {
    return this.#news
      .filter(({ seq }) => seq > after && seq <= through)
      .toSorted((a, b) => a.seq - b.seq);
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Outline extends Named {
  /** Range of the used cells, such as `A1:C9`; null if there are none. */
  readonly used: string | null;
}

/** Returns the operations that are about one sheet. */
export function opsOf({ id, name }: Named, news: readonly News[]): readonly Op[] {
  const ops = news.filter(({ payload }) => [id, name].includes(memberText(payload, 'sheet')));
  return ops as readonly Op[];
}

/** Returns the operations on a sheet that wait for an answer. */
export function waitingOn({ id }: Named, waiting: readonly Pending[]): readonly Op[] {
  const ops = waiting.flatMap((pending) => pending.ops as readonly Op[]);
  return ops.filter(({ payload }) => payload['sheet'] === id);
}

/** Returns the outline of a sheet with the cells that newer operations fill. */
export function outlineWith<Known extends Outline>(sheet: Known, news: readonly News[]): Known {
  const ops = opsOf(sheet, news);
  if (ops.length === 0) return sheet;
  return { ...sheet, used: rangeName(usedWith(usedOf(sheet), ops)) };
}

/** Returns the cells of a sheet that hold anything; the first one where none does. */
export function usedOf({ used }: Pick<Outline, 'used'>): Range {
  return parseRange(used ?? 'A1') ?? { row0: 0, column0: 0, row1: 0, column1: 0 };
}

/** Returns the cells of a sheet that hold anything, with those that operations write besides. */
export function usedWith(used: Range, ops: readonly Op[]): Range {
  let { row0, row1, column0, column1 } = used;
  for (const op of ops) {
    for (const key of cellsOf(op).keys()) {
      const [row = 0, column = 0] = key.split(':').map(Number);
      [row0, row1] = [Math.min(row0, row), Math.max(row1, row)];
      [column0, column1] = [Math.min(column0, column), Math.max(column1, column)];
    }
  }
  return { row0, row1, column0, column1 };
}
