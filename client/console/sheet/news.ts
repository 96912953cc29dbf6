import type { Range } from '../../../server/model/range.ts';
import { shiftsOf, type Shift } from '../../../server/model/shift.ts';
import { cellsOf, memberText, type News, type Op } from '../store/overlay.ts';

/** Kinds after which sizes, lines and records are those of before: only cells are loaded anew. */
const cellKinds = new Set(['cells.set', 'range.set', 'range.clear', 'format.set', 'numfmt.set']);

/** Operations of a branch that are not shown yet, in any order. */
export class NewsList {
  #news: News[] = [];

  add(news: readonly News[]): void {
    this.#news.push(...news);
  }

  clear(): void {
    this.#news = [];
  }

  /** Forgets operations up to a position, which is shown now. */
  shown(seq: number): void {
    this.#news = this.#news.filter((one) => one.seq > seq);
  }

  /** Returns whether all operations behind one position through another write cells alone. */
  areCells(after: number, through: number): boolean {
    const between = this.#between(after, through);
    const seqs = new Set(between.map(({ seq }) => seq));
    return seqs.size === through - after && between.every(({ kind }) => cellKinds.has(kind));
  }

  /** Returns how the lines of a sheet go on the way. */
  shifts(sheet: readonly string[], after: number, through: number): readonly Shift[] {
    return this.#between(after, through).flatMap(({ kind, payload }) => {
      const isHere = sheet.includes(memberText(payload, 'sheet'));
      return isHere ? (shiftsOf(kind, payload) ?? []) : [];
    });
  }

  /**
   * Returns the newest position at which lines stand as they are shown: addresses typed now
   * are those of that position.
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
