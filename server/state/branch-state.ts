import { createHash } from 'node:crypto';

import { columnLimit, rowLimit } from '../model/address.ts';
import type { Input } from '../model/cell-value.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import { rangeName, type Range } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import type { SheetProperties } from '../model/sheet-properties.ts';
import { CellCoding } from './cell-coding.ts';
import { executeLook, formatAreas } from './execute-looks.ts';
import {
  clearAreas,
  deleteLines,
  fillAreas,
  insertLines,
  moveLines,
  writeBlocks,
  writeCells,
  type LineEdit,
} from './execute.ts';
import { followLines } from './inherit-lines.ts';
import { Looks } from './looks.ts';
import { NameTable, nameFormula } from './names.ts';
import { genesisOrder } from './order.ts';
import { clearingPatch } from './plan-formats.ts';
import {
  formatsOf,
  isLookPlan,
  isSheetPlan,
  type Plan,
  type PlanContext,
  type SheetPlan,
} from './plan.ts';
import { RecentWrites } from './recent-writes.ts';
import { Settings } from './settings.ts';
import { SheetCells, type UsedBounds } from './sheet-cells.ts';
import { copySheet } from './sheet-copy.ts';
import { readNumberFormats } from './sheet-formats.ts';
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
  /** What is set of it by sheet.props. */
  readonly properties: SheetProperties;
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
  readonly looks: Looks;
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
      this.looks = source.looks.copy();
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
    this.looks = new Looks();
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
      looks: this.looks,
      cellsOf: (sheet) => this.cellsOf(sheet),
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
    if (this.#structure !== before) this.history.push(this.#head, this.#structure);
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
    return readNumberFormats(formatsOf(this, sheet), range);
  }

  sheetSummaries(): SheetSummary[] {
    return this.#structure.sheets.map((sheet, index) => {
      const { id, name } = sheet;
      const bounds = this.used(sheet);
      const used = bounds ? rangeName(bounds) : null;
      const properties = this.looks.properties.of(id);
      return { id, name, index, rows: rowLimit, columns: columnLimit, used, properties };
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
    hash.update(this.names.digest()).update(this.tables.digest()).update(this.looks.digest());
    return hash.update(this.settings.digest()).digest('hex');
  }

  #execute(plan: Plan): Mutation[] {
    if (isSheetPlan(plan)) return this.#executeSheets(plan);
    if (isLookPlan(plan)) return executeLook(plan, this.looks);
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
      case 'settings':
        return plan.changes.flatMap(([path, value]) => this.settings.set(path, value));
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
    if (plan.type === 'move') return this.#edit(moveLines(plan));
    const run = { branch: this.branchNo, sequence: this.#head };
    followLines(plan, run, this);
    if (plan.type === 'insert') return this.#edit(insertLines(plan, run));
    return this.#edit(deleteLines(plan, this.cellsOf(plan.sheet)));
  }

  #executeAreas(plan: Extract<Plan, { type: 'blocks' | 'fill' | 'clear' | 'format' }>): Mutation[] {
    const cells = this.cellsOf(plan.sheet);
    this.#used.delete(plan.sheet.id);
    if (plan.type === 'blocks') return writeBlocks(plan, cells);
    if (plan.type === 'clear') {
      if (plan.formats) formatAreas(plan, clearingPatch(this), this);
      return clearAreas(plan, cells);
    }
    if (plan.format) formatAreas(plan, plan.format, this);
    return plan.type === 'fill' ? fillAreas(plan, cells, this.coding) : [];
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
      const { name, index, copy } = plan;
      const { rows, columns } = copy?.source ?? { rows: genesisOrder, columns: genesisOrder };
      const outline = { id, key, name, rows, columns };
      this.#structure = this.#structure.add(outline, index);
      const added: Mutation = { kind: 'sheetAdd', sheet: key, name, index };
      const copied = copy && copySheet(copy, outline, this);
      this.#cells.set(id, copied?.cells ?? new SheetCells());
      return [added, ...(copied?.mutations ?? [])];
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
    this.#used.delete(sheet.id);
    this.looks.dropSheet(sheet.id);
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
