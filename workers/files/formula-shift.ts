import {
  columnLimit,
  columnName,
  parseColumn,
  parseRow,
  rowLimit,
} from '../../server/model/address.ts';
import { formulaTokens } from './formula-tokens.ts';

/** Position of a formula, or its movement; rows and columns count from zero. */
export interface Offset {
  readonly rows: number;
  readonly columns: number;
}

interface Axis {
  readonly limit: number;
  readonly parse: (text: string) => number | undefined;
  readonly spell: (position: number) => string;
}

const columnAxis: Axis = { limit: columnLimit, parse: parseColumn, spell: columnName };
const rowAxis: Axis = { limit: rowLimit, parse: parseRow, spell: (row) => String(row + 1) };
const cellParts = /^(\$?)([A-Za-z]+)(\$?)(\d+)$/;
const spanParts = /^(\$?)(\w+)(\.?:\.?)(\$?)(\w+)$/;

/** Returns the formula as it reads `by` further down and right: relative references move along. */
export function shiftFormula(text: string, by: Offset): string {
  if (by.rows === 0 && by.columns === 0) return text;
  return rewrite(text, (axis, anchor, name) => {
    if (anchor === '$') return anchor + name;
    const position = axis.parse(name);
    if (position === undefined) return name;
    const moved = position + (axis === rowAxis ? by.rows : by.columns);
    // In a shared formula Excel wraps references around the edge of the grid.
    return axis.spell((moved + axis.limit) % axis.limit);
  });
}

/**
 * Returns a text that is equal for a formula and its copies filled to other cells, and for no
 * others: references are written as distances between marks, which are doubled where the text has
 * them.
 */
export function relativeForm(text: string, at: Offset): string {
  return rewrite(text.replaceAll(mark, mark + mark), (axis, anchor, name) => {
    const position = axis.parse(name);
    if (position === undefined) return anchor + name;
    const letter = axis === rowAxis ? 'R' : 'C';
    if (anchor === '$') return `${mark}${letter}${position}${mark}`;
    return `${mark}${letter}[${position - (axis === rowAxis ? at.rows : at.columns)}]${mark}`;
  });
}

const mark = '\u0001';

type RespellEnd = (axis: Axis, anchor: string, name: string) => string;

function rewrite(text: string, respell: RespellEnd): string {
  let result = '';
  for (const token of formulaTokens(text)) {
    if (token.kind === 'cell') result += respellCell(token.text, respell);
    else if (token.kind === 'columns') result += respellSpan(token.text, columnAxis, respell);
    else if (token.kind === 'rows') result += respellSpan(token.text, rowAxis, respell);
    else result += token.text;
  }
  return result;
}

function respellCell(text: string, respell: RespellEnd): string {
  const parts = cellParts.exec(text);
  if (parts === null) return text;
  const [, columnAnchor = '', column = '', rowAnchor = '', row = ''] = parts;
  // ABC1234567 and XFE1 are names, not cells.
  if (parseColumn(column) === undefined || parseRow(row) === undefined) return text;
  return respell(columnAxis, columnAnchor, column) + respell(rowAxis, rowAnchor, row);
}

function respellSpan(text: string, axis: Axis, respell: RespellEnd): string {
  const parts = spanParts.exec(text);
  if (parts === null) return text;
  const [, startAnchor = '', start = '', colon = '', endAnchor = '', end = ''] = parts;
  return respell(axis, startAnchor, start) + colon + respell(axis, endAnchor, end);
}
