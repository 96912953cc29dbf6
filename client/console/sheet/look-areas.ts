import type { Range } from '../../../server/model/range.ts';

/** Cells of one look, counted from the first cell of their block. */
interface LookArea<Look> {
  readonly area: Range;
  readonly look: Look;
}

/** Returns cells of one look as areas: pieces of rows, joined with equal rows below. */
export function areasOf<Look>(looks: readonly (readonly Look[])[]): readonly LookArea<Look>[] {
  const done: LookArea<Look>[] = [];
  let open = new Map<string, LookArea<Look>>();
  for (const [row, cells] of looks.entries()) {
    const next = new Map<string, LookArea<Look>>();
    for (const { look, text, first, last } of piecesOf(cells)) {
      const key = `${first} ${last} ${text}`;
      const above = open.get(key);
      open.delete(key);
      const area = { row0: above?.area.row0 ?? row, row1: row, column0: first, column1: last };
      next.set(key, { area, look });
    }
    done.push(...open.values());
    open = next;
  }
  return [...done, ...open.values()];
}

function piecesOf<Look>(cells: readonly Look[]) {
  const pieces: { look: Look; text: string; first: number; last: number }[] = [];
  for (const [column, look] of cells.entries()) {
    const before = pieces.at(-1);
    const text = JSON.stringify(look);
    if (before?.text === text) before.last = column;
    else pieces.push({ look, text, first: column, last: column });
  }
  return pieces;
}
