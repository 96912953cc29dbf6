import { createHash } from 'node:crypto';

import { columnLimit, rowLimit } from '../model/address.ts';
import type { Input } from '../model/cell-value.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import { rangeName, type Range } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
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
import { KeyIndexes } from './key-index.ts';
import { NameTable, nameFormula, type DefinedName } from './names.ts';
import { genesisOrder } from './order.ts';
import { isSheetPlan, type Plan, type PlanContext, type SheetPlan } from './plan.ts';
import { RecentWrites } from './recent-writes.ts';
import { Settings } from './settings.ts';
import { SheetCells, type Stretch, type UsedBounds } from './sheet-cells.ts';
import { StructureHistory } from './structure-history.ts';
import { Structure, type SheetOutline } from './structure.ts';
import { executeFill, executeLines, executeWrites } from './table-execute.ts';
import {
  carryTableFormulas,
  followTables,
  tableMutations,
  type MovedLines,
} from './table-follow.ts';
import type { TablePlan } from './table-plan.ts';
import type { TableList } from './tables.ts';
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
  readonly #keys: KeyIndexes;
  readonly settings: Settings;
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
      this.#keys = source.#keys.copy();
      this.settings = source.settings.copy();
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
    this.#keys = new KeyIndexes();
    this.settings = new Settings();
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

  get tables(): TableList {
    return this.#structure.tables;
  }

  #next() {
    return { branch: this.branchNo, sequence: this.#head + 1, sheetKey: this.#nextSheetKey };
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
      settings: this.settings,
      keys: this.#keys,
      cellsOf: (sheet) => this.cellsOf(sheet),
      next: () => this.#next(),
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
      const tables = carryTableFormulas(before, this.#structure, this.coding.formulas);
      this.#structure = this.#structure.withTables(tables);
      this.history.push(this.#head, this.#structure);
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
      case 'table':
        return this.#executeTable(plan);
      case 'setting':
        return this.settings.set(plan.path, plan.value);
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
    if (plan.type === 'delete') return this.#edit(deleteLines(plan, this.cellsOf(plan.sheet)));
    if (plan.type === 'move') return this.#edit(moveLines(plan), plan);
    return this.#edit(insertLines(plan, { branch: this.branchNo, sequence: this.#head }));
  }

  #executeAreas(plan: Extract<Plan, { type: 'blocks' | 'fill' | 'clear' | 'format' }>): Mutation[] {
    const cells = this.cellsOf(plan.sheet);
    this.#used.delete(plan.sheet.id);
    if (plan.type === 'blocks') return writeBlocks(plan, cells);
    if (plan.type === 'fill') return fillAreas(plan, cells, this.coding);
    if (plan.type === 'clear') return clearAreas(plan, cells);
    formatAreas(plan, cells);
    return [];
  }

  #edit({ sheet, mutations }: LineEdit, moved?: MovedLines): Mutation[] {
    const seen = this.#structure;
    const before = seen.withId(sheet.id);
    this.#used.delete(sheet.id);
    const after = seen.replace(sheet);
    const edit = before && { before, after: sheet, moved };
    this.#structure = edit ? after.withTables(followTables(seen.tables, seen, edit)) : after;
    return [...mutations, ...tableMutations(seen, this.#structure)];
  }

  #executeTable(plan: TablePlan): Mutation[] {
    const before = this.#structure;
    const cellsOf = (sheet: SheetOutline) => this.cellsOf(sheet);
    const mutations: Mutation[] = [];
    if (plan.added) mutations.push(this.#addSheet(plan.added, plan.after.sheets.length - 1));
    const { keys } = plan;
    const noteKeys = keys && this.#keys.expect(keys.sheet, keys, this.cellsOf(keys.sheet));
    const run = { branch: this.branchNo, sequence: this.#head };
    for (const mutation of executeLines(plan.lines, run, cellsOf)) mutations.push(mutation);
    mutations.push(...tableMutations(before, plan.after));
    for (const write of plan.writes) {
      for (const mutation of executeWrites(write, cellsOf)) mutations.push(mutation);
    }
    for (const fill of plan.fills) mutations.push(executeFill(fill, cellsOf));
    noteKeys?.();
    for (const { sheet } of [...plan.lines, ...plan.writes, ...plan.fills]) {
      this.#used.delete(sheet.id);
    }
    this.#structure = plan.after;
    for (const name of plan.names) {
      this.names.set(name);
      mutations.push(this.#nameMutation(name));
    }
    return plan.dropped ? [...mutations, ...this.#dropSheet(plan.dropped)] : mutations;
  }

  #nameMutation(name: DefinedName): Mutation {
    const { scopeId } = name;
    const scope = scopeId === undefined ? undefined : this.#structure.withId(scopeId)?.key;
    const formula = nameFormula(name, this.#structure, this.coding.formulas);
    return { kind: 'nameSet', name: name.name, scope, formula };
  }

  #addSheet(sheet: SheetOutline, index: number): Mutation {
    this.#nextSheetKey = sheet.key + 1;
    this.#cells.set(sheet.id, new SheetCells());
    return { kind: 'sheetAdd', sheet: sheet.key, name: sheet.name, index };
  }

  /** What goes with a sheet that the structure has no more. */
  #dropSheet(sheet: SheetOutline): Mutation[] {
    const scoped = this.names.ofScope(sheet.id);
    for (const { name } of scoped) this.names.delete(name, sheet.id);
    this.#cells.delete(sheet.id);
    this.#used.delete(sheet.id);
    this.#keys.drop(sheet);
    const gone = scoped.map(({ name }): Mutation => ({
      kind: 'nameDelete',
      name,
      scope: sheet.key,
    }));
    return [...gone, { kind: 'sheetDelete', sheet: sheet.key }];
  }

  #executeSheets(plan: SheetPlan): Mutation[] {
    if (plan.type === 'sheetAdd') {
      const id = `s${this.branchNo}.${this.#head}.0`;
      const { name, index } = plan;
      const lines = { rows: genesisOrder, columns: genesisOrder };
      const outline = { id, key: this.#nextSheetKey, name, ...lines };
      this.#structure = this.#structure.add(outline, index);
      return [this.#addSheet(outline, index)];
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
    const before = this.#structure;
    const lost = new Set(before.tables.onSheet(sheet.id).map(({ id }) => id));
    this.#structure = before.remove(sheet.id).withTables(before.tables.without(lost));
    return [...tableMutations(before, this.#structure), ...this.#dropSheet(sheet)];
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
