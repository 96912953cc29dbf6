import type { Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import { textPattern } from '../../../server/model/typed-input.ts';
import type { PastedLook } from '../grid/pasted-looks.ts';
import type { Op } from '../store/overlay.ts';
import { areasOf } from './look-areas.ts';
import { hasLines, widthOf, wrapping } from './writes.ts';

interface Block {
  readonly at: Address;
  readonly rows: readonly (readonly string[])[];
  readonly looks: readonly (readonly PastedLook[])[];
  /** Areas of the block that are one cell. */
  readonly merged: readonly Range[];
}

/** Most areas of one format in a paste. */
const areasMost = 300;

/** Enters a block of texts as if each were typed, with their formats. */
export function blockSteps(
  sheet: string | undefined,
  { at: { row, column }, rows, looks, merged }: Block,
): readonly Op[] {
  const width = widthOf(rows);
  const inputs = rows.map((line) => Array.from({ length: width }, (_, index) => line[index] ?? ''));
  const range = {
    row0: row,
    column0: column,
    row1: row + rows.length - 1,
    column1: column + width - 1,
  };
  const payload = { sheet, range: rangeName(range), parse: true, inputs };
  const wrapped = inputs[0]?.flatMap((_, index) => linesIn(inputs, index)) ?? [];
  const areas = areasOf(looks.slice(0, rows.length).map((line) => line.slice(0, width)))
    .filter(({ look }) => Object.keys(look).length > 0)
    .slice(0, areasMost);
  const looking = areas.map(({ area, look }) => {
    const place = rangeName(moved(area, { row, column }));
    return { kind: 'format.set', payload: { sheet, range: place, style: look } };
  });
  // A cell with the format of texts keeps its input as text, so the format comes first.
  const isOfTexts = ({ payload: { style } }: (typeof looking)[number]) =>
    style['numberFormat'] === textPattern;
  return [
    ...looking.filter(isOfTexts),
    { kind: 'range.set', payload },
    ...looking.filter((step) => !isOfTexts(step)),
    ...wrapped.map(({ first, last, index }) => {
      const lines = { row0: first, row1: last, column0: index, column1: index };
      return wrapping(sheet, rangeName(moved(lines, { row, column })));
    }),
    ...merged.slice(0, areasMost).map((area) => {
      const place = rangeName(moved(area, { row, column }));
      return { kind: 'cellmerge.add', payload: { sheet, range: place } };
    }),
  ];
}

function moved({ row0, row1, column0, column1 }: Range, { row, column }: Address): Range {
  return {
    row0: row0 + row,
    row1: row1 + row,
    column0: column0 + column,
    column1: column1 + column,
  };
}

/** Returns the rows in which a column of a block has texts of several lines. */
function linesIn(inputs: readonly (readonly string[])[], index: number) {
  const first = inputs.findIndex((line) => hasLines(line[index] ?? ''));
  const last = inputs.findLastIndex((line) => hasLines(line[index] ?? ''));
  return first < 0 ? [] : [{ first, last, index }];
}
