import { columnName } from '../model/address.ts';
import type { IdSpan } from '../state/ids/order.ts';
import type { Axis } from '../state/structure/structure.ts';

/** Ids that follow one another in an answer at most; more are counted, not listed. */
const idsMost = 100;

/** `5:7` or `B:D`. */
export function linesName(axis: Axis, position: number, count: number): string {
  const name = (line: number) => (axis === 'row' ? String(line + 1) : columnName(line));
  return `${name(position)}:${name(position + count - 1)}`;
}

/** `7.3.0..2` for the first three ids of a run. */
export function idNames(spans: readonly IdSpan[]): string[] {
  return spans.slice(0, idsMost).map(({ branch, sequence, offset, length }) => {
    const first = `${branch}.${sequence}.${offset}`;
    return length === 1 ? first : `${first}..${offset + length - 1}`;
  });
}
