import { intersection, parseSheetRange, type Range } from '../../../server/model/range.ts';
import type { FormatRule, FormatStyle } from '../../../server/model/payload-rules.ts';
import { Problem, type Service } from '../service.ts';
import type { BlockSource, CellStyle, ShownCell } from './block-store.ts';
import { numbersOf, pointOf, shownIn, testOf, type RulePlace } from './rule-formulas.ts';
import { iconAt, type Icon } from './rule-icons.ts';
import { shadeAt, shareAt, type Bar } from './rule-scales.ts';

/** A conditional format of a sheet. */
export interface LookRule {
  readonly areas: readonly [Range, ...Range[]];
  readonly rule: FormatRule;
  readonly style: FormatStyle;
  readonly stopIfTrue: boolean;
  readonly priority: number;
}

/** Styles that rules give to a cell, over its own. */
export interface RuleLook {
  readonly style: CellStyle;
  readonly bar?: Bar | undefined;
  readonly icon?: Icon | undefined;
  /** Number of the cell in the format of a rule. */
  readonly text?: string | undefined;
}

export interface RuleRecord {
  readonly ranges?: readonly string[];
  readonly value?: Partial<Omit<LookRule, 'areas'>>;
}

/** Returns the rules among the records of a sheet, by priority. */
export function lookRulesOf(records: readonly RuleRecord[]): readonly LookRule[] {
  const rules = records.flatMap(({ ranges = [], value = {} }): LookRule[] => {
    const [first, ...others] = ranges.flatMap((range) => parseSheetRange(range)?.areas ?? []);
    const { rule, style = {}, stopIfTrue = false, priority = 0 } = value;
    return first && rule ? [{ areas: [first, ...others], rule, style, stopIfTrue, priority }] : [];
  });
  return rules.toSorted((one, other) => one.priority - other.priority);
}

/** Returns a cell with a style over its own. */
export function withLook(cell: ShownCell, look: RuleLook | undefined): ShownCell {
  if (!look) return cell;
  const { style, bar, icon } = look;
  const isHidden = bar?.isAlone === true || icon?.isAlone === true;
  const told = cell.kind === 'number' ? (look.text ?? cell.text) : cell.text;
  const text = isHidden ? '' : told;
  const above = { ...(bar && { bar }), ...(icon && { icon }) };
  return { ...cell, text, style: { ...cell.style, ...style }, ...above };
}

const tileRows = 128;
const tileColumns = 32;
const tilesMost = 100;
const formulasAtOnce = 20;
const stillMs = 120;

type Values = readonly (readonly unknown[])[];

interface Tile {
  readonly ref: string;
  readonly looks: ReadonlyMap<string, RuleLook>;
}

interface RuleEvents {
  readonly onChange: () => void;
  /** Called when rules could not be evaluated; cells keep their own styles. */
  readonly onFault: (fault: Error) => void;
}

/** Conditional formats of the visible cells, which the service evaluates tile by tile. */
export class RuleLooks {
  readonly #service: Service;
  readonly #events: RuleEvents;
  readonly #tiles = new Map<string, Tile>();
  #rules: readonly LookRule[] = [];
  #view: readonly Range[] = [];
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #source: BlockSource;
  /** True after a failure, until a retry or another view. */
  #isResting = false;

  constructor(service: Service, source: BlockSource, events: RuleEvents) {
    this.#service = service;
    this.#source = source;
    this.#events = events;
  }

  /** Evaluates failed tiles again. */
  tryAgain(): void {
    this.#isResting = false;
    this.#plan();
  }

  take(rules: readonly LookRule[]): void {
    if (JSON.stringify(rules) !== JSON.stringify(this.#rules)) this.#tiles.clear();
    this.#rules = rules;
    this.#isResting = false;
    this.#plan();
  }

  moveTo(source: BlockSource): void {
    this.#source = source;
    this.#isResting = false;
    this.#plan();
  }

  look(view: readonly Range[]): void {
    this.#view = view;
    this.#plan();
  }

  at(row: number, column: number): RuleLook | undefined {
    if (this.#rules.length === 0) return undefined;
    return this.#tiles.get(tileKey(row, column))?.looks.get(`${row}:${column}`);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  /** Waits until the view and the branch stand still. */
  #plan(): void {
    if (this.#rules.length === 0 || this.#isResting) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#loadAll().catch((fault: Error) => {
        this.#isResting = true;
        this.#events.onFault(fault);
      });
    }, stillMs);
  }

  async #loadAll(): Promise<void> {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    for (const tile of tilesOf(this.#view)) {
      const key = tileKey(tile.row0, tile.column0);
      const { ref } = this.#source;
      if (this.#tiles.get(key)?.ref === ref) continue;
      const looks = await this.#loadIf(tile, signal);
      if (!looks) return;
      this.#tiles.delete(key);
      this.#tiles.set(key, { ref, looks });
      for (const [oldest] of this.#tiles) {
        if (this.#tiles.size <= tilesMost) break;
        this.#tiles.delete(oldest);
      }
      this.#events.onChange();
    }
  }

  /** Returns the styles of a tile; undefined if nobody needs them any more. */
  async #loadIf(tile: Range, signal: AbortSignal) {
    try {
      return await this.#load(tile, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #load(tile: Range, signal: AbortSignal): Promise<ReadonlyMap<string, RuleLook>> {
    const asked = this.#rules.flatMap((rule) =>
      rule.areas.flatMap((area) => {
        const part = intersection(area, tile);
        return part ? [askedOf(rule, { sheet: this.#source.sheet, areas: rule.areas, part })] : [];
      }),
    );
    const formulas = asked.flatMap((one) => one.formulas);
    const answers: Values[] = [];
    for (let at = 0; at < formulas.length; at += formulasAtOnce) {
      const piece = formulas.slice(at, at + formulasAtOnce);
      answers.push(...(await this.#evaluate(piece, signal)));
    }
    const looks = new Looks();
    let next = 0;
    for (const { rule, part, formulas: own } of asked) {
      looks.add(rule, part, answers.slice(next, next + own.length));
      next += own.length;
    }
    return looks.cells;
  }

  /** Evaluates formulas; one that cannot be read applies to no cell and leaves the others alone. */
  async #evaluate(formulas: readonly string[], signal: AbortSignal): Promise<readonly Values[]> {
    const { workbookId, ref, sheet } = this.#source;
    const body = { ref, formulas: formulas.map((formula) => ({ formula, sheet })) };
    try {
      const path = `/v1/workbooks/${workbookId}/scenario`;
      const answer = await this.#service.ask<{ formulas: readonly { rows: Values }[] }>(path, {
        body,
        signal,
      });
      return answer.formulas.map(({ rows }) => rows);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 400) throw error;
      if (formulas.length === 1) return [[]];
      const single: Values[] = [];
      for (const formula of formulas) single.push(...(await this.#evaluate([formula], signal)));
      return single;
    }
  }
}

interface Asked {
  readonly rule: LookRule;
  readonly part: Range;
  readonly formulas: readonly string[];
}

function askedOf(rule: LookRule, place: RulePlace): Asked {
  const { part } = place;
  const kind = rule.rule;
  if (kind.type === 'colorScale') {
    const points = kind.points.map((point) => pointOf(point, place));
    return { rule, part, formulas: [numbersOf(place), ...points] };
  }
  if (kind.type === 'dataBar') {
    const ends = [pointOf(kind.min, place), pointOf(kind.max, place)];
    return { rule, part, formulas: [numbersOf(place), ...ends] };
  }
  if (kind.type === 'iconSet') {
    const points = kind.points.map((point) => pointOf(point, place));
    return { rule, part, formulas: [numbersOf(place), ...points] };
  }
  const test = testOf(kind, place);
  if (test === undefined) return { rule, part, formulas: [] };
  const { numberFormat } = rule.style;
  const texts = numberFormat === undefined ? [] : [shownIn(numberFormat, place)];
  return { rule, part, formulas: [test, ...texts] };
}

/** Collects styles by cell; for each property the first rule wins. */
class Looks {
  readonly cells = new Map<string, RuleLook>();
  readonly #stopped = new Set<string>();

  add(rule: LookRule, part: Range, [values = [], ...ends]: readonly Values[]): void {
    const bounds = ends.map((rows) => rows[0]?.[0]);
    const [texts] = ends;
    for (let { row0: row } = part; row <= part.row1; row++) {
      for (let { column0: column } = part; column <= part.column1; column++) {
        const value = values[row - part.row0]?.[column - part.column0];
        const text = texts?.[row - part.row0]?.[column - part.column0];
        const look = lookOf(rule, value, { bounds, text });
        if (look) this.#lay(`${row}:${column}`, look, rule.stopIfTrue);
      }
    }
  }

  #lay(key: string, look: RuleLook, stops: boolean): void {
    if (this.#stopped.has(key)) return;
    if (stops) this.#stopped.add(key);
    const known = this.cells.get(key);
    const style = { ...look.style, ...known?.style };
    const { bar = look.bar, icon = look.icon, text = look.text } = known ?? {};
    this.cells.set(key, { style, bar, icon, text });
  }
}

function lookOf(
  { rule, style }: LookRule,
  value: unknown,
  { bounds, text }: { readonly bounds: readonly unknown[]; readonly text: unknown },
): RuleLook | undefined {
  if (rule.type === 'colorScale') {
    const fill = shadeAt(value, bounds, rule.points);
    return fill === undefined ? undefined : { style: { fill } };
  }
  if (rule.type === 'dataBar') {
    const bar = shareAt(value, bounds, rule);
    return bar && { style: {}, bar };
  }
  if (rule.type === 'iconSet') {
    const icon = iconAt(value, bounds, rule);
    return icon && { style: {}, icon };
  }
  const isMet = value === true || (typeof value === 'number' && value !== 0);
  if (!isMet) return undefined;
  return { style: style as CellStyle, ...(typeof text === 'string' && { text }) };
}

function tileKey(row: number, column: number): string {
  return `${Math.floor(row / tileRows)}:${Math.floor(column / tileColumns)}`;
}

function tilesOf(view: readonly Range[]): readonly Range[] {
  const tiles = new Map<string, Range>();
  for (const { row0, row1, column0, column1 } of view) {
    for (let row = row0 - (row0 % tileRows); row <= row1; row += tileRows) {
      for (let at = column0 - (column0 % tileColumns); at <= column1; at += tileColumns) {
        const [last, right] = [row + tileRows - 1, at + tileColumns - 1];
        tiles.set(tileKey(row, at), { row0: row, row1: last, column0: at, column1: right });
      }
    }
  }
  return [...tiles.values()];
}
