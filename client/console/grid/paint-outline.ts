import { groupAt } from './outline.ts';
import type { Box, Frame } from './panes.ts';

/** Place and size of the sign of a group in the header of its line. */
export const signPx = { from: 2, size: 12 };
const barPx = 2;
/** Pixels from the bar of a level to that of the next. */
const barStepPx = 3;

interface OutlineLine {
  readonly lines: 'rows' | 'columns';
  readonly at: number;
  /** Box of the header. */
  readonly box: Box;
}

/** Draws bars along the headers of grouped lines, and the sign by which a group is folded. */
export function paintOutline(
  context: CanvasRenderingContext2D,
  { groups, palette }: Frame,
  { lines, at, box }: OutlineLine,
): void {
  const all = groups?.[lines] ?? [];
  if (all.length === 0) return;
  context.fillStyle = palette.quiet;
  const level = Math.max(
    0,
    ...all.map((group) => (group.first <= at && at <= group.last ? group.level : 0)),
  );
  for (let bar = 0; bar < level; bar++) {
    const off = 1 + bar * barStepPx;
    if (lines === 'rows') context.fillRect(box.x + off, box.y, barPx, box.height);
    else context.fillRect(box.x, box.y + off, box.width, barPx);
  }
  const group = groupAt(all, at);
  if (!group) return;
  const { from, size } = signPx;
  const [x, y] = [box.x + from, box.y + (box.height - size) / 2];
  context.fillStyle = palette.paper;
  context.fillRect(x, y, size, size);
  context.strokeStyle = palette.ink;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, Math.round(y) + 0.5, size - 1, size - 1);
  const middle = Math.round(y) + size / 2;
  context.fillStyle = palette.ink;
  context.fillRect(x + 3, middle - 0.5, size - 6, 1);
  if (group.isFolded) context.fillRect(x + size / 2 - 0.5, middle - 3, 1, size - 6);
}
