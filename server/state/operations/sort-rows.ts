import { compareFoldedTexts, foldedText } from '../../model/text-order.ts';
import { readTyped } from '../../model/typed-input.ts';
import { cellTag } from '../cells/block.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import type { LaneColumn } from '../cells/lanes.ts';

type Lanes = Pick<LaneColumn, 'tags' | 'numbers'>;

/** A column to sort by, as high as the sorted area; undefined if it is blank. */
export interface KeyColumn {
  readonly lanes: Lanes | undefined;
  /** The column's own texts; undefined if they are in the dictionary. */
  readonly texts?: Pick<Dictionary, 'text'>;
  readonly isDescending: boolean;
  readonly type: 'auto' | 'number' | 'text';
}

/** Rows sorted or read between two pauses. */
const pieceRows = 2_048;
const stepsBetweenPauses = 4_096;

/** Excel's order of types; blank cells are last in either direction. */
const rank = { number: 0, text: 1, boolean: 2, error: 3, blank: 4 } as const;

/** A key column, ready to be compared. */
interface Key {
  readonly ranks: Uint8Array;
  readonly numbers: Float64Array;
  readonly texts: readonly (string | undefined)[];
  readonly sign: 1 | -1;
}

/** Sorts rows, numbered from 0; rows with equal keys keep their order. */
export function* sortedRows(
  rowCount: number,
  columns: readonly KeyColumn[],
  dictionary: Pick<Dictionary, 'text'>,
): Generator<void, Uint32Array> {
  const keys: Key[] = [];
  for (const column of columns) {
    if (column.lanes) keys.push(yield* keyOf(column, column.lanes, dictionary));
  }
  return yield* sortStably(rowCount, (a, b) => {
    for (const key of keys) {
      const order = compare(key, a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function* keyOf(
  { isDescending, type, texts: own }: KeyColumn,
  { tags, numbers: held }: Lanes,
  shared: Pick<Dictionary, 'text'>,
): Generator<void, Key> {
  const dictionary = own ?? shared;
  const count = tags.length;
  const ranks = new Uint8Array(count);
  const numbers = new Float64Array(count);
  const texts: (string | undefined)[] = [];
  for (let at = 0; at < count; at++) {
    if (at % pieceRows === 0) yield;
    const tag = tags[at] ?? cellTag.blank;
    const value = valueOf(tag, held[at] ?? 0, { type, dictionary });
    ranks[at] = value.rank;
    numbers[at] = value.number ?? 0;
    texts.push(value.text);
  }
  return { ranks, numbers, texts, sign: isDescending ? -1 : 1 };
}

function valueOf(
  tag: number,
  number: number,
  { type, dictionary }: { type: KeyColumn['type']; dictionary: Pick<Dictionary, 'text'> },
): { rank: number; number?: number; text?: string } {
  switch (tag) {
    case cellTag.number:
      return type === 'text' ? textOf(String(number)) : { rank: rank.number, number };
    case cellTag.boolean:
      if (type === 'text') return textOf(number === 1 ? 'TRUE' : 'FALSE');
      return { rank: rank.boolean, number };
    case cellTag.error:
      return { rank: rank.error };
    case cellTag.text: {
      const text = dictionary.text(number);
      const read = type === 'number' ? readTyped(text).input : text;
      return typeof read === 'number' ? { rank: rank.number, number: read } : textOf(text);
    }
    default:
      return { rank: rank.blank };
  }
}

function textOf(text: string) {
  return { rank: rank.text, text: foldedText(text) };
}

function compare(key: Key, a: number, b: number): number {
  const [left, right] = [key.ranks[a] ?? 0, key.ranks[b] ?? 0];
  if (left === right) return key.sign * compareAlike(key, left, a, b);
  const isEither = left === rank.blank || right === rank.blank;
  return isEither ? left - right : key.sign * (left - right);
}

/** Compares two cells of one type. */
function compareAlike({ numbers, texts }: Key, type: number, a: number, b: number): number {
  if (type !== rank.text) return (numbers[a] ?? 0) - (numbers[b] ?? 0);
  return compareFoldedTexts(texts[a] ?? '', texts[b] ?? '');
}

/** Sorts pieces and merges them with pauses, because a million rows take long. */
function* sortStably(
  count: number,
  compareRows: (a: number, b: number) => number,
): Generator<void, Uint32Array> {
  let rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  for (let from = 0; from < count; from += pieceRows) {
    rows.subarray(from, from + pieceRows).sort(compareRows);
    yield;
  }
  for (let width = pieceRows; width < count; width *= 2) {
    const merged = new Uint32Array(count);
    for (let from = 0; from < count; from += 2 * width) {
      yield* merge(rows, merged, { from, width, compareRows });
    }
    rows = merged;
  }
  return rows;
}

interface Merge {
  readonly from: number;
  readonly width: number;
  readonly compareRows: (a: number, b: number) => number;
}

function* merge(
  rows: Uint32Array,
  merged: Uint32Array,
  { from, width, compareRows }: Merge,
): Generator<void, void> {
  const middle = Math.min(from + width, rows.length);
  const end = Math.min(from + 2 * width, rows.length);
  let left = from;
  let right = middle;
  for (let at = from; at < end; at++) {
    const takesLeft =
      left < middle && (right >= end || compareRows(rows[left] ?? 0, rows[right] ?? 0) <= 0);
    merged[at] = rows[takesLeft ? left++ : right++] ?? 0;
    if (at % stepsBetweenPauses === 0) yield;
  }
}
