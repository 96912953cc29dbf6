import { columnLimit, rowLimit } from '../model/address.ts';
import type { Input } from '../model/cell-value.ts';
import type { FormulaOrigin, FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import { rangeName, type Range } from '../model/range.ts';
import { CellCoding } from './cells/cell-coding.ts';
import { executePlan } from './execute-plan.ts';
import { toEnd } from './plan/steps.ts';
import { isLinePlan } from './structure/line-steps.ts';
import type { Looks } from './structure/looks.ts';
import { shownName, type NameTable } from './references/names.ts';
import {
  formatsOf,
  presentRules,
  type Plan,
  type PlanContext,
  type PlanRules,
} from './plan/plan.ts';
import type { PolicyDocument } from './records/policy-document.ts';
import { RecentWrites } from './recent-writes.ts';
import type { Records } from './records/records.ts';
import { sortOf } from './references/rewrite.ts';
import type { Scale } from './ids/scale.ts';
import type { Settings } from './structure/settings.ts';
import type { SheetCells, UsedBounds } from './cells/sheet-cells.ts';
import { readNumberFormats } from './cells/sheet-formats.ts';
import { StateParts } from './state-parts.ts';
import { StructureHistory, type StructureStep } from './structure/structure-history.ts';
import type { Structure, SheetOutline } from './structure/structure.ts';
import type { NameSummary, SheetSummary } from './structure/summaries.ts';
import type { TableList } from './structure/tables.ts';
import { noSink } from './nodes/nodes.ts';
import type { Section, StateForm } from './structure/section.ts';
import { putState, type RestoredState, type StateTrimmings } from './tree/state-node.ts';
import { changesNothing } from './unchanged.ts';

/**
 * The content of one branch at its head: sheets, cells, names. Synchronous and without any I/O; the
 * same operations in the same order always lead to the same state, mutations and hash.
 */
export class BranchState {
  #parts: StateParts;
  /** Structures since this object was made; older ones are not known. */
  #history: StructureHistory;
  #recent = new RecentWrites();
  /** Sequence number of the last operation; as it has no gaps, also their count. */
  #head = 0;
  /** The last context, because consecutive submissions mostly need the same one. */
  #context: PlanContext | undefined;

  constructor(branchNo: number, source: FormulaService | CellCoding | StateParts) {
    this.#parts = partsOf(branchNo, source);
    this.#history = new StructureHistory(0, this.structure);
  }

  static restore(restored: RestoredState): BranchState {
    const { branchNo, trimmings } = restored;
    const state = new BranchState(branchNo, StateParts.restore(restored));
    state.#head = trimmings.head;
    state.#history = new StructureHistory(trimmings.head, state.structure);
    state.#recent = new RecentWrites(trimmings.head);
    // The digest is at hand, so it serves as the name of the structure.
    state.coding.dictionary.nameStructure(state.structure, state.structure.digest);
    return state;
  }

  /** Returns an independent copy. Blocks are shared until either side writes to them. */
  fork(): BranchState {
    const fork = new BranchState(this.branchNo, this.#parts.copy(this.branchNo));
    fork.#head = this.#head;
    fork.#history = this.#history.copy();
    fork.#recent = this.#recent.copy();
    return fork;
  }

  /** Returns a copy for reading: without key indexes, old structures and recent writes. */
  still(): BranchState {
    return this.#stillOf(this.#parts.still());
  }

  /**
   * Returns a copy for reading that can find rows by key. It uses the indexes of this state, which
   * keeps former entries as it changes them, until `release` is called.
   */
  watched(): WatchedState {
    const parts = this.#parts.watched();
    const { keys } = this.#parts;
    const release = (): void => keys.unwatch();
    const adoptedBy = (state: BranchState): void => state.#parts.keys.adopt(parts.keys);
    return { state: this.#stillOf(parts), release, adoptedBy };
  }

  #stillOf(parts: StateParts): BranchState {
    const still = new BranchState(this.branchNo, parts);
    still.#head = this.#head;
    still.#history = new StructureHistory(this.#head, this.structure);
    still.#recent = new RecentWrites(this.#head);
    return still;
  }

  /** Returns the first state of a branch that is forked off here. */
  branchOff(branchNo: number): BranchState {
    return new BranchState(branchNo, this.#parts.copy(branchNo));
  }

  get branchNo(): number {
    return this.#parts.branchNo;
  }

  get coding(): CellCoding {
    return this.#parts.coding;
  }

  get names(): NameTable {
    return this.#parts.content.names;
  }

  get tables(): TableList {
    return this.structure.tables;
  }

  get settings(): Settings {
    return this.#parts.content.settings;
  }

  get records(): Records {
    return this.#parts.content.records;
  }

  get looks(): Looks {
    return this.#parts.looks;
  }

  get policy(): PolicyDocument {
    return this.#parts.content.policy;
  }

  get history(): StructureHistory {
    return this.#history;
  }

  weighKeys(scale: Scale): void {
    this.#parts.keys.weigh(scale);
  }

  get recent(): RecentWrites {
    return this.#recent;
  }

  get head(): number {
    return this.#head;
  }

  get structure(): Structure {
    return this.#parts.structure;
  }

  #next() {
    const { branchNo, nextSheetKey } = this.#parts;
    return { branch: branchNo, sequence: this.#head + 1, sheetKey: nextSheetKey };
  }

  /**
   * Returns the state as planning sees it; `base` is the structure that the client wrote against.
   */
  contextAt(
    base: Structure,
    formulaOrigin: FormulaOrigin = 'journal',
    rules: PlanRules = presentRules,
    year?: number,
  ): PlanContext {
    const known = this.#context;
    if (known?.base === base && known.head === this.structure) {
      const isFrom = known.formulaOrigin === formulaOrigin && known.year === year;
      if (isFrom && haveSameRules(known, rules)) return known;
    }
    this.#context = {
      formulaOrigin,
      year,
      newRows: rules.newRows,
      keepsTables: rules.keepsTables,
      blankBehind: rules.blankBehind,
      base,
      head: this.structure,
      coding: this.coding,
      names: this.names,
      looks: this.looks,
      records: this.records,
      settings: this.settings,
      stepsSince: () => this.history.since(base),
      keys: this.#parts.keys,
      cellsOf: (sheet) => this.cellsOf(sheet),
      next: () => this.#next(),
      inputAt: (sheet, row, column) => this.inputAt(sheet, row, column),
      targets: new Map(),
      used: (sheet) => this.used(sheet),
      isFilledFrom: (sheet, axis, from) => this.cellsOf(sheet).isFilledFrom(sheet, axis, from),
    };
    return this.#context;
  }

  changesNothing(plan: Plan): Generator<void, boolean> {
    return changesNothing(plan, this);
  }

  /**
   * Applies the plan of the next operation; undefined for one that changes nothing but takes a
   * sequence number. In a replay, the journal tells that it takes no end of a range (lost-ends.ts)
   * or cuts no link.
   */
  apply(
    plan: Plan | undefined,
    { takesNoEnd = false, cutsLinks = true }: JournalledFacts = {},
  ): Mutation[] {
    this.begin(takesNoEnd);
    return plan ? this.applyPart(plan, cutsLinks) : [];
  }

  /** Does as `apply`, but yields now and then; nobody may look at the state in between. */
  *applySlowly(
    plan: Plan | undefined,
    { takesNoEnd = false, cutsLinks = true }: JournalledFacts = {},
  ): Generator<void, Mutation[]> {
    this.begin(takesNoEnd);
    return plan ? yield* this.#applySteps(plan, cutsLinks) : [];
  }

  /** Begins the next operation; the caller then applies its parts. */
  begin(takesNoEnd = false): void {
    this.#head++;
    this.#parts.ends.open(takesNoEnd);
  }

  applyPart(plan: Plan, cutsLinks = true): Mutation[] {
    return toEnd(this.#applySteps(plan, cutsLinks));
  }

  *#applySteps(plan: Plan, cutsLinks: boolean): Generator<void, Mutation[]> {
    this.#parts.links.open(cutsLinks);
    const before = this.structure;
    this.recent.push(this.#head, plan);
    const mutations = yield* executePlan(plan, this.#head, this.#parts);
    if (this.structure !== before) {
      this.history.push(this.#stepOf(plan));
    }
    return mutations;
  }

  /** True when the last operation was searched for lost ends, and had none. */
  get tookNoEnd(): boolean {
    return this.#parts.ends.hasNone;
  }

  /** True when the last part of an operation cut links. */
  get hasCutLinks(): boolean {
    return this.#parts.links.hasCut;
  }

  #stepOf(plan: Plan): StructureStep {
    const { structure } = this;
    const edits = isLinePlan(plan) ? [plan] : plan.type === 'table' ? plan.lines : [];
    const sort = plan.type === 'rewrite' ? sortOf(plan) : undefined;
    return { sequence: this.#head, structure, sort, edits };
  }

  cellsOf(sheet: SheetOutline): SheetCells {
    return this.#parts.cellsOf(sheet);
  }

  used(sheet: SheetOutline): UsedBounds | undefined {
    return this.#parts.usedOf(sheet);
  }

  /** Returns the input of a cell, with formulas in the addresses of the head. */
  inputAt(sheet: SheetOutline, row: number, column: number): Input {
    const place = {
      sheetId: sheet.id,
      row: sheet.rows.idAt(row),
      column: sheet.columns.idAt(column),
    };
    const found = this.cellsOf(sheet).find(place.row, place.column);
    if (!found) return null;
    return this.coding.decode(found.block.cellAt(found.lane), place, this.structure);
  }

  /** Returns the number formats of a range, row by row. */
  numberFormats(sheet: SheetOutline, range: Range): string[][] {
    return readNumberFormats(formatsOf(this, sheet), range);
  }

  sheetSummaries(): SheetSummary[] {
    return this.structure.sheets.map((sheet, index) => {
      const { id, name } = sheet;
      const bounds = this.used(sheet);
      const used = bounds ? rangeName(bounds) : null;
      const properties = this.looks.properties.of(id);
      return { id, name, index, rows: rowLimit, columns: columnLimit, used, properties };
    });
  }

  nameSummaries(): NameSummary[] {
    return [...this.eachName()];
  }

  /** Yields the names one by one: to spell tens of thousands takes a second. */
  *eachName(): Generator<NameSummary> {
    for (const known of this.names.list()) {
      const { name, scopeId, comment } = known;
      const formula = shownName(known, this.structure, this.coding.formulas);
      yield { name, scope: scopeId ?? null, formula, ...(comment !== undefined && { comment }) };
    }
  }

  /** Returns the SHA-256 of all content, in hex. Only changed blocks are hashed again. */
  *stateHash(): Generator<void, string> {
    const hash = yield* putState(noSink, this);
    return hash.toString('hex');
  }

  /** Returns the hash that a former version of the storage format gives; reads everything. */
  *hashIn(form: StateForm): Generator<void, string> {
    const hash = yield* putState(noSink, this, form);
    return hash.toString('hex');
  }

  /** Returns the sections to store, except sheets and cells. */
  sections(form: StateForm): Section[] {
    return this.#parts.sections(form);
  }

  get trimmings(): StateTrimmings {
    const sheetKeys = this.structure.sheets.map(({ key }) => key);
    return { head: this.#head, sheetKeys, nextSheetKey: this.#parts.nextSheetKey };
  }
}

/** Facts that the journal notes of an operation for its replay. */
interface JournalledFacts {
  readonly takesNoEnd?: boolean;
  readonly cutsLinks?: boolean;
}

/** A copy for reading that depends on the state it was made from. */
export interface WatchedState {
  readonly state: BranchState;
  /** Must be called when nobody reads the copy any more. */
  readonly release: () => void;
  /** Gives key indexes that readers had to build to another state. */
  readonly adoptedBy: (state: BranchState) => void;
}

function partsOf(branchNo: number, source: FormulaService | CellCoding | StateParts): StateParts {
  if (source instanceof StateParts) return source;
  return new StateParts(branchNo, source instanceof CellCoding ? source : new CellCoding(source));
}

function haveSameRules(one: PlanRules, other: PlanRules): boolean {
  const isSame = one.newRows === other.newRows && one.keepsTables === other.keepsTables;
  return isSame && one.blankBehind === other.blankBehind;
}
