import type { SheetPair } from '../state/diff/sides.ts';

/** As it is called now, or was. */
export function sheetName({ was, is, id }: SheetPair): string {
  return (is ?? was)?.name ?? id;
}
