import { columnLimit, rowLimit } from '../model/address.ts';
import type { Input } from '../model/cell-value.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import { rangeName, type Range } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import { BranchContent } from './branch-content.ts';
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
import type { Looks } from './looks.ts';
import { nameFormula, type NameTable } from './names.ts';
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
import type { PolicyDocument } from './policy-document.ts';
import { RecentWrites } from './recent-writes.ts';
import { rewriteCells, type RewritePlan } from './rewrite.ts';
import type { Settings } from './settings.ts';
import { SheetCells, type UsedBounds } from './sheet-cells.ts';
import { copySheet } from './sheet-copy.ts';
import { readNumberFormats } from './sheet-formats.ts';
import { StructureHistory } from './structure-history.ts';
import { Structure, type SheetOutline } from './structure.ts';
import type { NameSummary, SheetSummary } from './summaries.ts';
import type { TableList } from './tables.ts';
import { noSink } from './tree/nodes.ts';
import type { Section } from './tree/section.ts';
import { putState, type RestoredState, type StateTrimmings } from './tree/state-node.ts';
import { changesNothing } from './unchanged.ts';

/**
 * The content of one branch at its head: sheets, cells, names. Synchronous and without any I/O; the
 * same operations in the same order always lead to the same state, mutations and hash.
 */
export class BranchState {
  readonly branchNo: number;
  readonly coding: CellCoding;
  #content = BranchContent.empty();
  /** Structures since the state was made, restored or forked off; older ones are not known here. */
  #history: StructureHistory;
  #recent = new RecentWrites();
  /** Operations of the branch applied so far; also the sequence of the last one. */
  #head = 0;
  #structure = new Structure([]);
  #cells = new Map<string, SheetCells>();
  /** Used ranges of sheets not changed since they were asked for. */
  #used = new Map<string, UsedBounds | undefined>();
  #nextSheetKey = 1;
  /** The latest that was asked for: one submission after the other sees the same. */
  #context: PlanContext | undefined;

  constructor(branchNo: number, source: FormulaService | CellCoding) {
    this.branchNo = branchNo;
    this.coding = source instanceof CellCoding ? source : new CellCoding(source);
    this.#history = new StructureHistory(0, this.#structure);
  }

  static restore({ branchNo, coding, trimmings, sheets, sections }: RestoredState): BranchState {
    const state = new BranchState(branchNo, coding);
    state.#content = BranchContent.restore(sections);
    state.#head = trimmings.head;
    state.#nextSheetKey = trimmings.nextSheetKey;
    state.#structure = new Structure(sheets.map(({ outline }) => outline));
    for (const { outline, cells } of sheets) state.#cells.set(outline.id, cells);
    state.#history = new StructureHistory(trimmings.head, state.#structure);
    state.#recent = new RecentWrites(trimmings.head);
    return state;
  }

  /** A state that goes its own way; blocks are shared until either side writes to them. */
  fork(): BranchState {
    const fork = this.#copy(this.branchNo);
    fork.#head = this.#head;
    fork.#history = this.#history.copy();
    fork.#recent = this.#recent.copy();
    return fork;
  }

  /** The first state of a branch that begins here. */
  branchOff(branchNo: number): BranchState {
    const fork = this.#copy(branchNo);
    fork.#history = new StructureHistory(0, this.#structure);
    return fork;
  }

  #copy(branchNo: number): BranchState {
    const copy = new BranchState(branchNo, this.coding);
    copy.#content = this.#content.copy();
    copy.#structure = this.#structure;
    for (const [id, cells] of this.#cells) copy.#cells.set(id, cells.fork());
    copy.#used = new Map(this.#used);
    copy.#nextSheetKey = this.#nextSheetKey;
    return copy;
  }

  get names(): NameTable {
    return this.#content.names;
  }

  get tables(): TableList {
    return this.#content.tables;
  }

  get settings(): Settings {
    return this.#content.settings;
  }

  get looks(): Looks {
    return this.#content.looks;
  }

  get policy(): PolicyDocument {
    return this.#content.policy;
  }

  get history(): StructureHistory {
    return this.#history;
  }

  get recent(): RecentWrites {
    return this.#recent;
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
      settings: this.settings,
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
    const hash = yield* putState(noSink, this);
    return hash.toString('hex');
  }

  /** What there is beside sheets and cells, for storing it. */
  sections(): Section[] {
    return this.#content.sections();
  }

  get trimmings(): StateTrimmings {
    const sheetKeys = this.#structure.sheets.map(({ key }) => key);
    return { head: this.#head, sheetKeys, nextSheetKey: this.#nextSheetKey };
  }

  #execute(plan: Plan): Mutation[] {
    if (isSheetPlan(plan)) return this.#executeSheets(plan);
    if (isLookPlan(plan)) return executeLook(plan, this.looks);
    switch (plan.type) {
      case 'insert':
      case 'delete':
      case 'move':
        return this.#executeLines(plan);
      case 'cells':
      case 'blocks':
      case 'fill':
      case 'clear':
      case 'format':
        return this.#executeContent(plan);
      case 'rewrite':
        return this.#rewrite(plan);
      default:
        return this.#executeBook(plan);
    }
  }

  #executeBook(
    plan: Extract<
      Plan,
      { type: `name${string}` | 'tableCreate' | 'settings' | 'policy' | 'commit' }
    >,
  ): Mutation[] {
    switch (plan.type) {
      case 'nameSet':
      case 'nameDelete':
      case 'nameRename':
        return this.#executeNames(plan);
      case 'tableCreate':
        return this.#createTable(plan);
      case 'settings':
        return plan.changes.flatMap(([path, value]) => this.settings.set(path, value));
      case 'policy':
        this.policy.set(plan.policy);
        return [];
      case 'commit':
        return [];
    }
  }

  #executeContent(
    plan: Extract<Plan, { type: 'cells' | 'blocks' | 'fill' | 'clear' | 'format' }>,
  ): Mutation[] {
    if (plan.type !== 'cells') return this.#executeAreas(plan);
    for (const { sheet } of plan.cells) this.#used.delete(sheet.id);
    return writeCells(plan.cells, (sheet) => this.cellsOf(sheet));
  }

  #rewrite(plan: RewritePlan): Mutation[] {
    for (const { sheet } of plan.written) this.#used.delete(sheet.id);
    rewriteCells(plan, (sheet) => this.cellsOf(sheet));
    if (plan.order) this.#structure = plan.order.after;
    return [...plan.mutations, ...this.#followCells(plan)];
  }

  /**
   * The one place that hears of cells that left their rows and columns: `map` says where any cell or
   * range has gone, `sorted` which rows changed places. What is kept by cell follows from here.
   */
  #followCells(plan: RewritePlan): Mutation[] {
    for (const name of plan.names) this.names.set(name);
    return this.tables.replace(plan.tables);
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
