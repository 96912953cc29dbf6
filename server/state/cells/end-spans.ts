import { firstAfter } from '../ids/first-after.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import { runKey, type IdSpan } from '../ids/order.ts';
import {
  limitOf,
  orderOf,
  type Axis,
  type SheetOutline,
  type Structure,
} from '../structure/structure.ts';

/** Lines of one run, offsets `from` up to `to`, at which ranges of formulas begin or end. */
export interface EndSpan {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly run: number;
  readonly from: number;
  readonly to: number;
  /**
   * First offset and end of each piece, sorted; left out when all lines from `from` to `to` are
   * meant.
   */
  readonly lines?: Uint32Array;
}

/** Number of runs with ends; with more, any line of the sheet counts as an end. */
const runsMost = 256;
/** Number of spans in a run; with more, its lines are listed in an array. */
const spansMost = 8;
export const anyRun = -1;

/** Estimated bytes of a span with its places in indexes. */
const spanBytes = 250;

/** Returns the bytes that spans of range ends take in memory. */
export function bytesOfEnds(ends: readonly EndSpan[]): number {
  return ends.reduce((sum, { lines }) => sum + spanBytes + (lines?.byteLength ?? 0), 0);
}

interface RunLines {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly run: number;
  /** First offset and end of each span, in the order of arrival. */
  readonly lines: number[];
}

/** Collects the lines at which ranges begin or end. */
export class EndCollector {
  readonly #runs = new Map<string, RunLines>();
  /** Sheets and axes with ends in too many runs. */
  readonly #anywhere = new Map<string, EndSpan>();

  /** Adds lines by position; those outside the grid are ignored. */
  addLines(
    sheet: SheetOutline,
    axis: Axis,
    { line, count }: { line: number; count: number },
  ): void {
    const from = Math.max(0, line);
    const to = Math.min(limitOf(axis), line + count);
    if (from >= to) return;
    if (this.#runs.size >= runsMost) {
      this.#addAnywhere({ sheetId: sheet.id, axis });
      return;
    }
    for (const span of orderOf(sheet, axis).spansAt(from, to - from)) {
      this.#add(sheet.id, axis, span);
    }
  }

  finish(): readonly EndSpan[] {
    if (this.#runs.size < runsMost) return [...this.#runs.values()].flatMap(spansOf);
    for (const run of this.#runs.values()) this.#addAnywhere(run);
    return [...this.#anywhere.values()];
  }

  /**
   * Adds a span; one that continues the last span, as for cells below one another, is joined to it.
   */
  #add(sheetId: string, axis: Axis, { branch, sequence, offset, length }: IdSpan): void {
    const run = runKey(branch, sequence);
    const key = `${axis} ${sheetId} ${run}`;
    let known = this.#runs.get(key);
    if (!known) this.#runs.set(key, (known = { sheetId, axis, run, lines: [] }));
    const { lines } = known;
    const last = lines.at(-1) ?? -1;
    const adjoins = offset <= last && offset >= (lines.at(-2) ?? Infinity);
    if (adjoins) lines[lines.length - 1] = Math.max(last, offset + length);
    else lines.push(offset, offset + length);
  }

  #addAnywhere({ sheetId, axis }: Pick<EndSpan, 'sheetId' | 'axis'>): void {
    this.#anywhere.set(`${axis} ${sheetId}`, { sheetId, axis, run: anyRun, from: 0, to: Infinity });
  }
}

function spansOf({ sheetId, axis, run, lines }: RunLines): EndSpan[] {
  const spans = Array.from({ length: lines.length / 2 }, (_, at): [from: number, to: number] => [
    lines[2 * at] ?? 0,
    lines[2 * at + 1] ?? 0,
  ]);
  const joined = joinedSpans(spans);
  if (joined.length <= spansMost) {
    return joined.map(([from, to]) => ({ sheetId, axis, run, from, to }));
  }
  const [from, to] = [joined[0]?.[0] ?? 0, joined.at(-1)?.[1] ?? 0];
  return [{ sheetId, axis, run, from, to, lines: Uint32Array.from(joined.flat()) }];
}

/** Sorts spans, and joins those that overlap or adjoin. */
export function joinedSpans(
  spans: readonly (readonly [from: number, to: number])[],
): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

interface Home {
  readonly structure: Structure;
  /** Sheet of the formula; undefined for a formula that stands on no sheet. */
  readonly sheetId: string | undefined;
}

/** Returns the lines at which ranges of a formula begin or end. */
export function endsOfText(
  text: string,
  { structure, sheetId }: Home,
  formulas: FormulaService,
): readonly EndSpan[] {
  const collector = new EndCollector();
  for (const reference of formulas.references(text)) {
    const sheet = sheetAt(reference, { from: structure, to: structure, sheetId });
    if (!sheet) continue;
    const { row0, row1, column0, column1 } = reference;
    for (const line of row0 === row1 ? [] : [row0, row1]) {
      collector.addLines(sheet, 'row', { line, count: 1 });
    }
    for (const line of column0 === column1 ? [] : [column0, column1]) {
      collector.addLines(sheet, 'column', { line, count: 1 });
    }
  }
  return collector.finish();
}

/** Lines that are deleted or moved. */
export class LeavingLines {
  readonly sheetId: string;
  readonly axis: Axis;
  /** Spans sorted within each run, without overlaps. */
  readonly spans: readonly EndSpan[];
  readonly #runs = new Map<number, EndSpan[]>();

  constructor(sheetId: string, axis: Axis, ids: readonly IdSpan[]) {
    this.sheetId = sheetId;
    this.axis = axis;
    this.spans = ids
      .map(({ branch, sequence, offset, length }): EndSpan => {
        return { sheetId, axis, run: runKey(branch, sequence), from: offset, to: offset + length };
      })
      .sort((a, b) => a.from - b.from);
    for (const span of this.spans) {
      const run = this.#runs.get(span.run);
      if (run) run.push(span);
      else this.#runs.set(span.run, [span]);
    }
  }

  meets(ends: readonly EndSpan[]): boolean {
    return ends.some((end) => {
      if (end.axis !== this.axis || end.sheetId !== this.sheetId) return false;
      return end.run === anyRun || this.#hasSome(end);
    });
  }

  #hasSome({ run, from, to, lines }: EndSpan): boolean {
    const spans = this.#runs.get(run);
    if (!spans) return false;
    const first = firstAfter(spans.length, (at) => (spans[at]?.to ?? Infinity) > from);
    if (!lines) return (spans[first]?.from ?? Infinity) < to;
    for (let at = first; (spans[at]?.from ?? Infinity) < to; at++) {
      if (meetsLines(lines, spans[at])) return true;
    }
    return false;
  }
}

function meetsLines(lines: Uint32Array, span: EndSpan | undefined): boolean {
  if (!span) return false;
  const at = firstAfter(lines.length >> 1, (index) => (lines[2 * index + 1] ?? 0) > span.from);
  return (lines[2 * at] ?? Infinity) < span.to;
}
