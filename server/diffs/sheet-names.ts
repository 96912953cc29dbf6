import type { SheetPair } from '../state/diff/sides.ts';

/** Name of the sheet now, or its last one. */
export function sheetName({ was, is, id }: SheetPair): string {
  return (is ?? was)?.name ?? id;
}
