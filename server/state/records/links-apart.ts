import type { FormulaService } from '../../model/formula-service.ts';
import { cellCount, overlaps, type Range } from '../../model/range.ts';
import { RangeIndex, without } from '../ids/range-index.ts';
import { areaOf, areaText, rangeOf, type LineChange } from '../structure/area.ts';
import { orderOf, type Structure } from '../structure/structure.ts';
import { onAreas } from './record-ends.ts';
import { recordKey, type RecordChange, type StoredRecord } from './stored-record.ts';

/** Watches whether moved lines cut links; a replay cuts them only if the journal says so. */
export class LinkWatch {
  #cuts = true;
  #hasCut = false;

  /** Begins a part of an operation. */
  open(cuts: boolean): void {
    this.#cuts = cuts;
    this.#hasCut = false;
  }

  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** Returns the change by which each cell keeps the link that it had. */
  apart(moved: MovedLinks, now: Now): RecordChange {
    if (!this.#cuts) return { puts: [], deletes: [] };
    const change = linksApart(moved, now);
    this.#hasCut ||= change.deletes.length > 0;
    return change;
  }
}

/** Links before and after a move of lines. */
export interface MovedLinks {
  readonly links: readonly (readonly [was: StoredRecord, is: StoredRecord])[];
  readonly change: LineChange;
}

interface Now {
  readonly structure: Structure;
  readonly formulas: FormulaService;
}

interface Link {
  readonly record: StoredRecord;
  readonly key: string;
  readonly was: Range;
  readonly is: Range;
}

/**
 * Cuts links that overlap after lines were moved between the ends of one. A cell keeps its own
 * link; a cell that comes into two links gets the smaller one.
 */
function linksApart({ links, change }: MovedLinks, now: Now): RecordChange {
  const placed = links.flatMap(([was, is]) => linkOf(was, is, change) ?? []);
  const puts: StoredRecord[] = [];
  const deletes: string[] = [];
  if (!placed.some((link) => isLong(link, change))) return { puts, deletes };
  const byKey = new Map(placed.map((link) => [link.key, link]));
  const index = new RangeIndex();
  for (const { key, is } of placed) index.add(key, [is]);
  for (const link of placed) {
    if (!isLong(link, change)) continue;
    const others = index.meeting(link.is).flatMap((key) => byKey.get(key) ?? []);
    const lost = others.flatMap((other) => (other === link ? [] : lostTo(link, other, change)));
    if (lost.length === 0) continue;
    const left = lost.reduce<readonly Range[]>(
      (rest, cut) => rest.flatMap((range) => without(range, cut)),
      [link.is],
    );
    deletes.push(link.key);
    for (const range of left) {
      puts.push(onAreas(link.record, [areaOf(change.after, range)], now));
    }
  }
  return { puts, deletes };
}

function linkOf(was: StoredRecord, record: StoredRecord, change: LineChange): Link | undefined {
  const [from, to] = [was.areas[0], record.areas[0]];
  const before = from && rangeOf(from, change.before);
  const is = to && rangeOf(to, change.after);
  return before && is && { record, key: recordKey(record), was: before, is };
}

/** Returns whether lines can have been moved between the ends. */
function isLong({ is }: Link, { axis }: LineChange): boolean {
  const { first, last } = linesOf(is, axis);
  return last > first;
}

/** Returns the cells that a link loses to another one. */
function lostTo(link: Link, other: Link, { axis, before, after }: LineChange): Range[] {
  if (!overlaps(link.is, other.is)) return [];
  const [own, theirs] = [linesOf(link.was, axis), linesOf(other.was, axis)];
  const [here, there] = [linesOf(link.is, axis), linesOf(other.is, axis)];
  const [from, to] = [Math.max(here.first, there.first), Math.min(here.last, there.last)];
  const isOthers = (line: number) => {
    const isOwn = has(own, line);
    return isOwn === has(theirs, line) ? !isSmaller(link, other) : !isOwn;
  };
  const ends = [own.first, own.last + 1, theirs.first, theirs.last + 1];
  const lost: Range[] = [];
  let next = from;
  for (const span of orderOf(after, axis).spansAt(from, to - from + 1)) {
    for (const { position, skipped, length } of orderOf(before, axis).piecesOf(span)) {
      const shift = next + skipped - position;
      const parts = dividedAt(ends, { first: position, last: position + length - 1 });
      for (const { first, last } of parts.filter((part) => isOthers(part.first))) {
        lost.push(onLines(other.is, { first: first + shift, last: last + shift }, axis));
      }
    }
    next += span.length;
  }
  return lost;
}

function has({ first, last }: Lines, line: number): boolean {
  return line >= first && line <= last;
}

/** Cuts a stretch of lines at given places. */
function dividedAt(places: readonly number[], { first, last }: Lines): Lines[] {
  const inside = places.filter((place) => place > first && place <= last);
  const starts = [first, ...inside.toSorted((a, b) => a - b)];
  return starts.map((start, at) => ({ first: start, last: (starts[at + 1] ?? last + 1) - 1 }));
}

function isSmaller(one: Link, other: Link): boolean {
  const difference = cellCount(one.was) - cellCount(other.was);
  if (difference !== 0) return difference < 0;
  const [area, than] = [one, other].map(({ record }) => record.areas.map(areaText).join());
  return (area ?? '') < (than ?? '');
}

interface Lines {
  readonly first: number;
  readonly last: number;
}

function linesOf({ row0, row1, column0, column1 }: Range, axis: LineChange['axis']): Lines {
  return axis === 'row' ? { first: row0, last: row1 } : { first: column0, last: column1 };
}

function onLines(range: Range, { first, last }: Lines, axis: LineChange['axis']): Range {
  return axis === 'row'
    ? { ...range, row0: first, row1: last }
    : { ...range, column0: first, column1: last };
}
