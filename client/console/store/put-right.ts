import { cellsOf, memberText, type Op } from './overlay.ts';

/** Returns whether an applied operation replaces one that was rejected before. */
export function putsRight(done: Op, refused: Op): boolean {
  const isAlike = done.kind === refused.kind;
  const isHere = memberText(done.payload, 'sheet') === memberText(refused.payload, 'sheet');
  if (!isAlike || !isHere) return false;
  if (done.kind === 'sheet.rename') return true;
  const written = cellsOf(done);
  const wanted = [...cellsOf(refused).keys()];
  return wanted.length > 0 && wanted.every((cell) => written.has(cell));
}
