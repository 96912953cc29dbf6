import { Failure } from '../../model/failure.ts';

/** The cell before which a search of inputs continues: index of its sheet, row and column. */
export interface Spot {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

export const firstSpot: Spot = { sheet: 0, row: 0, column: 0 };

/** Reads the index in all values at which a search of values continues. */
export function readOffset(cursor: string | undefined): number {
  const [offset = 0, ...more] = numbersOf(cursor);
  if (more.length > 0) throw wrongCursor();
  return offset;
}

export function readSpot(cursor: string | undefined): Spot {
  if (cursor === undefined) return firstSpot;
  const [sheet, row, column] = numbersOf(cursor);
  if (sheet === undefined || row === undefined || column === undefined) throw wrongCursor();
  return { sheet, row, column };
}

export function writeSpot({ sheet, row, column }: Spot): string {
  return `${sheet}.${row}.${column}`;
}

function numbersOf(cursor: string | undefined): number[] {
  if (cursor === undefined) return [];
  if (!/^\d{1,15}(?:\.\d{1,7}\.\d{1,5})?$/u.test(cursor)) throw wrongCursor();
  return cursor.split('.').map(Number);
}

function wrongCursor(): Failure {
  return new Failure('invalidRequest', {
    detail: 'The cursor is not one of a search with this lens.',
    hint: 'Follow `next` of the page before as it is, or leave cursor out.',
    errors: [{ pointer: '?cursor', code: 'invalid_cursor', message: 'of another request' }],
  });
}
