import type { Input } from '../../model/cell-value.ts';
import { formatKind, type FormatKind } from '../../model/format-kind.ts';
import type { Payload } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import { addMonths, addWeekdays, monthsBetween } from '../../model/serial-date.ts';
import {
  countedText,
  findInLists,
  listLength,
  listWord,
  modulo,
  readCounted,
  type ListName,
} from './autofill-lists.ts';

export type SeriesOptions = NonNullable<Payload<'range.autofill'>['series']>;

/** A cell of the source; without an input for a formula, which is copied. */
export interface SeriesCell {
  readonly input: Input | undefined;
  readonly format: string;
}

/**
 * A filled cell: a value in the format of a source cell, or a copy of that cell; undefined leaves
 * it alone.
 */
export type Filled =
  | { readonly like: number; readonly value: number | string | undefined }
  | undefined;

/** The value at a place: 0 to n - 1 are those of the source, others lie before or after it. */
type Series = (place: number) => number | string | undefined;

interface Member {
  readonly at: number;
  readonly cell: SeriesCell;
}

interface Context {
  readonly options: SeriesOptions;
  readonly isBackward: boolean;
  readonly isFrom1904: boolean;
}

/** One row or column of a source and what continues it. */
export class LineSeries {
  readonly #length: number;
  /** Series by cell of the source; undefined for a cell that is repeated. */
  readonly #series: ({ readonly rank: number; readonly count: number; next: Series } | undefined)[];
  readonly #context: Context;
  /** True for a series that grows in the direction of the fill: its stop lies above. */
  readonly #rises = new Map<Series, boolean>();

  constructor(cells: readonly SeriesCell[], context: Context) {
    this.#length = cells.length;
    this.#context = context;
    this.#series = cells.map(() => undefined);
    for (const members of grouped(cells, context)) {
      const next = seriesOf(members, context);
      if (!next) continue;
      for (const [rank, { at }] of members.entries()) {
        this.#series[at] = { rank, count: members.length, next };
      }
      const edge = context.isBackward ? 0 : members.length - 1;
      const [here, beyond] = [next(edge), next(edge + (context.isBackward ? -1 : 1))];
      this.#rises.set(next, Number(beyond) >= Number(here));
    }
  }

  /** Returns the cell that lies `distance` cells from the source, from 0. */
  at(distance: number): Filled {
    const { isBackward, options } = this.#context;
    const place = isBackward ? -1 - distance : this.#length + distance;
    const like = modulo(place, this.#length);
    const series = this.#series[like];
    if (!series) return { like, value: undefined };
    const round = Math.floor(place / this.#length);
    const value = series.next(round * series.count + series.rank);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || options.stop === undefined) return { like, value };
    const isPast = this.#rises.get(series.next) ? value > options.stop : value < options.stop;
    return isPast ? undefined : { like, value };
  }
}

/** Groups the cells that belong to one series, even with other cells in between. */
function grouped(cells: readonly SeriesCell[], { options }: Context): Member[][] {
  const groups = new Map<string, Member[]>();
  for (const [at, cell] of cells.entries()) {
    const key = groupOf(cell, cells, options);
    if (key === undefined) continue;
    const members = groups.get(key);
    if (members) members.push({ at, cell });
    else groups.set(key, [{ at, cell }]);
  }
  return [...groups.values()];
}

function groupOf(
  { input, format }: SeriesCell,
  cells: readonly SeriesCell[],
  { type = 'auto' }: SeriesOptions,
): string | undefined {
  if (type === 'copy') return undefined;
  if (typeof input === 'number') return type === 'auto' ? formatKind(format) : 'number';
  if (typeof input !== 'string' || type !== 'auto') return undefined;
  const list = listOf(input, cells);
  if (list !== undefined) return list;
  const counted = readCounted(input);
  return counted && JSON.stringify([counted.before, counted.after, counted.isOrdinal]);
}

/**
 * Finds the list that a text belongs to: May is a short name unless a long one is in the source.
 */
function listOf(text: string, cells: readonly SeriesCell[]): ListName | undefined {
  const [first, second] = findInLists(text);
  if (!first || !second) return first?.list;
  const isLong = cells.some(({ input }) => {
    const found = typeof input === 'string' ? findInLists(input) : [];
    return found.length === 1 && found[0]?.list === second.list;
  });
  return isLong ? second.list : first.list;
}

function seriesOf(members: readonly Member[], context: Context): Series | undefined {
  const numbers = members.flatMap(({ cell }) =>
    typeof cell.input === 'number' ? [cell.input] : [],
  );
  if (numbers.length === 0) {
    return textSeries(
      members.map(({ cell }) => (typeof cell.input === 'string' ? cell.input : '')),
    );
  }
  const { options } = context;
  switch (options.type) {
    case 'linear':
      return stepped(numbers, context);
    case 'growth':
      return growth(numbers, context);
    case 'date':
      return dates(numbers, context);
    default: {
      const kind = formatKind(members[0]?.cell.format ?? 'General');
      if (options.unit !== undefined && kind !== 'number') return dates(numbers, context);
      if (options.step === undefined) return numberSeries(numbers, kind, context);
      return stepped(numbers, context);
    }
  }
}

function stepped(numbers: readonly number[], context: Context): Series {
  const { step } = context.options;
  if (step === undefined) return linear(numbers);
  return fromEdge(numbers, context, (from, count) => rounded(from + count * step));
}

/** Makes a series that counts cells from the last number, or from the first when going backward. */
function fromEdge(
  numbers: readonly number[],
  { isBackward }: Context,
  value: (from: number, count: number) => number | undefined,
): Series {
  const last = numbers.length - 1;
  const from = numbers[isBackward ? 0 : last] ?? 0;
  return (place) => value(from, isBackward ? -place : place - last);
}

function linear(numbers: readonly number[]): Series {
  const [first = 0, second] = numbers;
  if (second === undefined) return (place) => rounded(first + place);
  const step = rounded(second - first);
  const isEven = numbers.every((number, place) => rounded(first + place * step) === number);
  if (isEven) return (place) => rounded(first + place * step);
  const { start, slope } = trend(numbers);
  return (place) => rounded(start + slope * place);
}

/** Fits a straight line by least squares. */
function trend(numbers: readonly number[]): { start: number; slope: number } {
  const count = numbers.length;
  const middle = (count - 1) / 2;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / count;
  let above = 0;
  let below = 0;
  for (const [place, number] of numbers.entries()) {
    above += (place - middle) * (number - mean);
    below += (place - middle) * (place - middle);
  }
  const slope = above / below;
  return { start: mean - slope * middle, slope };
}

/** Rounds to the 15 digits that Excel keeps: 0.1, 0.2 go on with 0.3. */
function rounded(number: number): number {
  return Number.isSafeInteger(number) ? number : Number(number.toPrecision(15));
}

function growth(numbers: readonly number[], context: Context): Series {
  const [first = 0, second] = numbers;
  const last = numbers.length - 1;
  const { step } = context.options;
  if (step !== undefined) {
    return fromEdge(numbers, context, (from, count) => finite(from * power(step, count)));
  }
  const before = numbers[last - 1];
  if (second === undefined || before === undefined) {
    throw new Rejection('bad_series', 'give two numbers or a step to grow by');
  }
  const ratio = context.isBackward ? first / second : (numbers[last] ?? 0) / before;
  if (!Number.isFinite(ratio)) throw new Rejection('bad_series', 'nothing grows from zero');
  return fromEdge(numbers, context, (from, count) => finite(from * power(ratio, count)));
}

/** Computes a power by multiplications alone, which give the same bits on every machine. */
function power(base: number, exponent: number): number {
  let [result, square] = [1, base];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

/** Returns a rounded number; undefined, which ends the series, beyond the largest one. */
function finite(number: number): number | undefined {
  return Number.isFinite(number) ? rounded(number) : undefined;
}

function dates(numbers: readonly number[], context: Context): Series {
  const { unit = 'day', step = context.isBackward ? -1 : 1 } = context.options;
  const { isFrom1904 } = context;
  if (unit !== 'day' && !Number.isInteger(step)) {
    throw new Rejection('bad_series', `a series of ${unit}s takes whole steps`);
  }
  switch (unit) {
    case 'day':
      return fromEdge(numbers, context, (from, count) => rounded(from + count * step));
    case 'weekday':
      return fromEdge(numbers, context, (from, count) =>
        addWeekdays(from, count * step, isFrom1904),
      );
    case 'month':
      return fromEdge(numbers, context, (from, count) => addMonths(from, count * step, isFrom1904));
    case 'year':
      return fromEdge(numbers, context, (from, count) => {
        return addMonths(from, count * step * 12, isFrom1904);
      });
  }
}

function numberSeries(
  numbers: readonly number[],
  kind: FormatKind,
  { isFrom1904 }: Context,
): Series | undefined {
  const [first = 0, second] = numbers;
  if (kind === 'number') return second === undefined ? undefined : linear(numbers);
  if (kind === 'time') {
    return second === undefined ? (place) => rounded(first + place / 24) : linear(numbers);
  }
  const step = second === undefined ? stepOf(kind) : monthStep(numbers, isFrom1904);
  return step === 0 ? linear(numbers) : (place) => addMonths(first, place * step, isFrom1904);
}

/** Months by which a series of one date goes on; 0 if it goes on by days. */
function stepOf(kind: FormatKind): number {
  return kind === 'month' ? 1 : kind === 'year' ? 12 : 0;
}

/** Whole months between dates that are evenly apart; 0 for any others. */
function monthStep(numbers: readonly number[], isFrom1904: boolean): number {
  const [first = 0, second = 0] = numbers;
  const step = monthsBetween(first, second, isFrom1904) ?? 0;
  const isEven = numbers.every((number, place) => {
    return addMonths(first, place * step, isFrom1904) === number;
  });
  return isEven ? step : 0;
}

function textSeries(texts: readonly string[]): Series | undefined {
  const [first = '', second] = texts;
  const counted = readCounted(first);
  if (counted) {
    const step = evenStep(
      texts.map((text) => readCounted(text)?.number ?? 0),
      counted.round,
    );
    if (step === undefined) return undefined;
    return (place) => countedText(counted, counted.number + place * step);
  }
  const entries = findInLists(first);
  const list = entries.length > 1 && second !== undefined ? sharedList(texts) : entries[0]?.list;
  if (list === undefined) return undefined;
  const indexes = texts.map((text) => indexIn(list, text));
  const step = evenStep(indexes, listLength(list));
  if (step === undefined) return undefined;
  return (place) => listWord(list, (indexes[0] ?? 0) + place * step, sampleOf(texts, place));
}

function sampleOf(texts: readonly string[], place: number): string {
  return texts[modulo(place, texts.length)] ?? '';
}

function sharedList(texts: readonly string[]): ListName | undefined {
  const sets = texts.map((text) => findInLists(text).map(({ list }) => list));
  return sets[0]?.find((list) => sets.every((set) => set.includes(list)));
}

function indexIn(list: ListName, text: string): number {
  return findInLists(text).find((entry) => entry.list === list)?.index ?? 0;
}

/**
 * Returns the step from each number to the next, possibly past the end of a round; undefined if
 * steps differ.
 */
function evenStep(numbers: readonly number[], round: number | undefined): number | undefined {
  const [first = 0, second] = numbers;
  if (second === undefined) return 1;
  const wrap = (number: number) => (round === undefined ? number : modulo(number, round));
  const step = wrap(second - first);
  const isEven = numbers.every((number, place) => wrap(number - first - place * step) === 0);
  return isEven ? step : undefined;
}
