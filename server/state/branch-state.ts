import { createHash } from 'node:crypto';

import { columnLimit, rowLimit } from '../model/address.ts';
import type { Input } from '../model/cell-value.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import { rangeName, type Range } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import type { LineChange } from './area.ts';
import { CellCoding } from './cell-coding.ts';
import {
  clearAreas,
  columnIds,
  deleteLines,
  fillAreas,
  formatAreas,
  insertLines,
  moveLines,
  writeBlocks,
  writeCells,
  type LineEdit,
} from './execute.ts';
import { NameTable, nameFormula } from './names.ts';
import { genesisOrder } from './order.ts';
import { isSheetPlan, type LineSpan, type Plan, type PlanContext, type SheetPlan } from './plan.ts';
import { RecentWrites } from './recent-writes.ts';
import { Records } from './records.ts';
import { Settings } from './settings.ts';
import { SheetCells, type Stretch, type UsedBounds } from './sheet-cells.ts';
import { StructureHistory } from './structure-history.ts';
import { Structure, type SheetOutline } from './structure.ts';
import { TableList } from './tables.ts';
import { changesNothing } from './unchanged.ts';

export interface SheetSummary {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Of the grid, which is as large on every sheet. */
  readonly rows: number;
  readonly columns: number;
  /** Tight range around all cells that are not blank; null when there is none. */
  readonly used: string | null;
}

export interface NameSummary {
  readonly name: string;
  readonly scope: string | null;
  readonly formula: string;
  readonly comment?: string;
}

/**
 * The content of one branch at its head: sheets, cells, names. Synchronous and without any I/O; the
 * same operations in the same order always lead to the same state, mutations and hash.
 */
export class BranchState {
  readonly branchNo: number;
  readonly coding: CellCoding;
  readonly names: NameTable;
  readonly tables: TableList;
  readonly settings: Settings;
  readonly records: Records;
  readonly history: StructureHistory;
  readonly recent: RecentWrites;
  /** Operations applied so far; also the sequence of the last one. */
  #head = 0;
  #structure = new Structure([]);
  readonly #cells = new Map<string, SheetCells>();
  /** Used ranges of sheets not changed since they were asked for. */
  readonly #used = new Map<string, UsedBounds | undefined>();
  #nextSheetKey = 1;
  /** The latest that was asked for: one submission after the other sees the same. */
  #context: PlanContext | undefined;

  constructor(branchNo: number, source: FormulaService | BranchState) {
    this.branchNo = branchNo;
    if (source instanceof BranchState) {
      this.coding = source.coding;
      this.names = source.names.copy();
      this.tables = source.tables.copy();
      this.settings = source.settings.copy();
      this.records = source.records.copy();
      this.history = source.history.copy();
      this.recent = source.recent.copy();
      this.#head = source.#head;
      this.#structure = source.#structure;
      for (const [id, cells] of source.#cells) this.#cells.set(id, cells.fork());
      this.#nextSheetKey = source.#nextSheetKey;
      return;
    }
    this.coding = new CellCoding(source);
    this.names = new NameTable();
    this.tables = new TableList();
    this.settings = new Settings();
    this.records = new Records();
    this.history = new StructureHistory(this.#structure);
    this.recent = new RecentWrites();
  }

  /** A state that goes its own way; blocks are shared until either side writes to them. */
  fork(): BranchState {
    return new BranchState(this.branchNo, this);
  }

  get head(): number {
    return this.#head;
  }

  get structure(): Structure {
    return this.#structure;
  }

  /** What planning needs to see; `base` is the structure the client wrote against. */
  contextAt(base: Structure): PlanContext {
    const known = this.#context;
    if (known?.base === base && known.head === this.#structure) return known;
    this.#context = {
      base,
      head: this.#structure,
      coding: this.coding,
      names: this.names,
      tables: this.tables,
      records: this.records,
      stepsSince: () => this.history.since(base),
      nextRun: () => ({ branch: this.branchNo, sequence: this.#head + 1 }),
      inputAt: (sheet, row, column) => this.inputAt(sheet, row, column),
      targets: new Map(),
      used: (sheet) => this.used(sheet),
    };
    return this.#context;
  }

  changesNothing(plan: Plan): boolean {
    return changesNothing(plan, this);
  }

  /** Applies the next operation; undefined is one that changes nothing but takes a sequence. */
  apply(plan: Plan | undefined): Mutation[] {
    this.#head++;
    if (!plan) return [];
    const before = this.#structure;
    this.recent.push(this.#head, plan);
    const mutations = this.#execute(plan);
    if (this.#structure !== before) {
      this.history.push(this.#head, this.#structure, moveOf(plan, this.#structure));
    }
    return mutations;
  }

  cellsOf(sheet: SheetOutline): SheetCells {
    const cells = this.#cells.get(sheet.id);
    if (!cells) throw new Error(`no cells for sheet ${sheet.id}`);
    return cells;
  }

  used(sheet: SheetOutline): UsedBounds | undefined {
    if (!this.#used.has(sheet.id)) this.#used.set(sheet.id, this.cellsOf(sheet).used(sheet));
    return this.#used.get(sheet.id);
  }

  /** What a cell holds as entered, formulas in the addresses of the head. */
  inputAt(sheet: SheetOutline, row: number, column: number): Input {
    const place = {
      sheetId: sheet.id,
      row: sheet.rows.idAt(row),
      column: sheet.columns.idAt(column),
    };
    const found = this.cellsOf(sheet).find(place.row, place.column);
    if (!found) return null;
    const { block, lane } = found;
    const coded = { tag: block.tagAt(lane), number: block.numberAt(lane) };
    return this.coding.decode(coded, place, this.#structure);
  }

  /** Number formats of a range, row by row. */
  numberFormats(sheet: SheetOutline, range: Range): string[][] {
    const cells = this.cellsOf(sheet);
    const width = range.column1 - range.column0 + 1;
    const height = range.row1 - range.row0 + 1;
    const formats = Array.from({ length: height }, () => Array<string>(width).fill('General'));
    const rows = sheet.rows.spansAt(range.row0, height);
    let column = 0;
    for (const id of columnIds(sheet.columns.spansAt(range.column0, width))) {
      for (const stretch of cells.stretches(rows, id)) this.#readFormats(stretch, column, formats);
      column++;
    }
    return formats;
  }

  #readFormats({ block, from, to, skipped }: Stretch, column: number, formats: string[][]): void {
    for (let lane = from; lane < to; lane++) {
      const row = formats[skipped + lane - from];
      const format = block.formatAt(lane);
      if (row && format !== 0) row[column] = this.coding.dictionary.format(format);
    }
  }

  sheetSummaries(): SheetSummary[] {
    return this.#structure.sheets.map((sheet, index) => {
      const { id, name } = sheet;
      const bounds = this.used(sheet);
      const used = bounds ? rangeName(bounds) : null;
      return { id, name, index, rows: rowLimit, columns: columnLimit, used };
    });
  }

  nameSummaries(): NameSummary[] {
    return this.names.list().map((name) => ({
      name: name.name,
      scope: name.scopeId ?? null,
      formula: nameFormula(name, this.#structure, this.coding.formulas),
      ...(name.comment !== undefined && { comment: name.comment }),
    }));
  }

  /** SHA-256 in hex over all content; only blocks that changed are hashed again. */
  *stateHash(): Generator<void, string> {
    const hash = createHash('sha256').update('quire state 1\n');
    for (const sheet of this.#structure.sheets) {
      const { id, name, rows, columns } = sheet;
      hash.update(`${JSON.stringify([id, name, rows.text, columns.text])}\n`);
      hash.update(yield* this.cellsOf(sheet).digest(this.coding.dictionary));
    }
    hash.update(this.names.digest()).update(this.tables.digest());
    hash.update(this.records.digest());
    return hash.update(this.settings.digest()).digest('hex');
  }

  #execute(plan: Plan): Mutation[] {
    if (isSheetPlan(plan)) return this.#executeSheets(plan);
    switch (plan.type) {
      case 'insert':
      case 'delete':
      case 'move':
        return this.#executeLines(plan);
      case 'nameSet':
      case 'nameDelete':
      case 'nameRename':
        return this.#executeNames(plan);
      case 'tableCreate':
        return this.#createTable(plan);
      case 'setting':
        return this.settings.set(plan.path, plan.value);
      case 'records':
        this.records.apply(plan.change, this.#structure);
        return [];
      default:
        return this.#executeContent(plan);
    }
  }

  #executeContent(
    plan: Extract<Plan, { type: 'cells' | 'blocks' | 'fill' | 'clear' | 'format' }>,
  ): Mutation[] {
    if (plan.type !== 'cells') return this.#executeAreas(plan);
    for (const { sheet } of plan.cells) this.#used.delete(sheet.id);
    return writeCells(plan.cells, (sheet) => this.cellsOf(sheet));
  }

  #executeLines(plan: Extract<Plan, { type: 'insert' | 'delete' | 'move' }>): Mutation[] {
    if (plan.type === 'delete') {
      return this.#editEnds(plan, deleteLines(plan, this.cellsOf(plan.sheet)), []);
    }
    if (plan.type === 'move') return this.#editEnds(plan, moveLines(plan), plan.spans);
    return this.#edit(insertLines(plan, { branch: this.branchNo, sequence: this.#head }));
  }

  #executeAreas(plan: Extract<Plan, { type: 'blocks' | 'fill' | 'clear' | 'format' }>): Mutation[] {
    const cells = this.cellsOf(plan.sheet);
    this.#used.delete(plan.sheet.id);
    if (plan.type === 'blocks') return writeBlocks(plan, cells);
    if (plan.type === 'fill') return fillAreas(plan, cells, this.coding);
    if (plan.type === 'clear') {
      if (plan.records) this.records.apply(plan.records, this.#structure);
      return clearAreas(plan, cells);
    }
    formatAreas(plan, cells);
    return [];
  }

  /** Of lines that records may begin or end with. */
  #editEnds(
    { sheet, axis }: Extract<Plan, { type: 'delete' | 'move' }>,
    edit: LineEdit,
    moved: readonly LineSpan[],
  ): Mutation[] {
    const change = { before: sheet, after: edit.sheet, axis, moved };
    this.records.follow(change, this.#structure, this.coding.formulas);
    return this.#edit(edit);
  }

  #edit({ sheet, mutations }: LineEdit): Mutation[] {
    const before = this.#structure.withId(sheet.id);
    this.#used.delete(sheet.id);
    this.#structure = this.#structure.replace(sheet);
    return before ? [...mutations, ...this.tables.follow(before, sheet)] : mutations;
  }

  #createTable({ sheet, table, cells }: Extract<Plan, { type: 'tableCreate' }>): Mutation[] {
    this.#used.delete(sheet.id);
    const mutations = writeCells(cells, (written) => this.cellsOf(written));
    const id = `t${this.branchNo}.${this.#head}.0`;
    return [...mutations, this.tables.add({ ...table, id }, sheet)];
  }

  #executeSheets(plan: SheetPlan): Mutation[] {
    if (plan.type === 'sheetAdd') {
      const id = `s${this.branchNo}.${this.#head}.0`;
      const key = this.#nextSheetKey++;
      const { name, index } = plan;
      const outline = { id, key, name, rows: genesisOrder, columns: genesisOrder };
      this.#structure = this.#structure.add(outline, index);
      this.#cells.set(id, new SheetCells());
      return [{ kind: 'sheetAdd', sheet: key, name, index }];
    }
    const { sheet } = plan;
    if (plan.type === 'sheetRename') {
      this.#structure = this.#structure.replace({ ...sheet, name: plan.name });
      return [{ kind: 'sheetRename', sheet: sheet.key, name: plan.name }];
    }
    if (plan.type === 'sheetMove') {
      this.#structure = this.#structure.move(sheet.id, plan.index);
      return [{ kind: 'sheetMove', sheet: sheet.key, index: plan.index }];
    }
    const scoped = this.names.ofScope(sheet.id);
    for (const { name } of scoped) this.names.delete(name, sheet.id);
    this.#structure = this.#structure.remove(sheet.id);
    this.#cells.delete(sheet.id);
    this.records.dropSheet(sheet.id);
    this.#used.delete(sheet.id);
    const gone = scoped.map(({ name }): Mutation => ({
      kind: 'nameDelete',
      name,
      scope: sheet.key,
    }));
    const tables = this.tables.dropSheet(sheet);
    return [...gone, ...tables, { kind: 'sheetDelete', sheet: sheet.key }];
  }

  #executeNames(
    plan: Extract<Plan, { type: 'nameSet' | 'nameDelete' | 'nameRename' }>,
  ): Mutation[] {
    const scopeId = plan.scope?.id;
    const scope = plan.scope?.key;
    if (plan.type === 'nameSet') {
      const { name, formula, comment } = plan;
      this.names.set({ name, scopeId, formula, structure: this.#structure, comment });
      return [{ kind: 'nameSet', name, scope, formula }];
    }
    if (plan.type === 'nameDelete') {
      this.names.delete(plan.name, scopeId);
      return [{ kind: 'nameDelete', name: plan.name, scope }];
    }
    const known = this.names.get(plan.from, scopeId);
    if (!known) throw new Rejection('name_not_found', `there is no name ${plan.from}`);
    this.names.delete(plan.from, scopeId);
    this.names.set({ ...known, name: plan.to });
    return [{ kind: 'nameRename', from: plan.from, to: plan.to, scope }];
  }
}

function moveOf(plan: Plan, structure: Structure): LineChange | undefined {
  if (plan.type !== 'move') return undefined;
  const { sheet: before, axis, spans: moved } = plan;
  return { before, after: structure.withId(before.id) ?? before, axis, moved };
}
