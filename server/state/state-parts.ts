import type { Mutation } from '../model/mutation.ts';
import { BranchContent, section } from './branch-content.ts';
import type { CellCoding } from './cells/cell-coding.ts';
import { KeyIndexes } from './cells/key-index.ts';
import type { Looks } from './structure/looks.ts';
import { LinkWatch } from './records/links-apart.ts';
import { EndWatch } from './references/lost-ends.ts';
import { SheetCells, type UsedBounds } from './cells/sheet-cells.ts';
import { Structure, type SheetOutline } from './structure/structure.ts';
import { TableList } from './structure/tables.ts';
import type { Section, StateForm } from './structure/section.ts';
import type { RestoredState } from './tree/state-node.ts';

/** The parts of a state that plans are applied to. */
export class StateParts {
  readonly branchNo: number;
  readonly coding: CellCoding;
  #content = BranchContent.empty();
  #keys = new KeyIndexes();
  structure = new Structure([]);
  #cells = new Map<string, SheetCells>();
  /** Cached used ranges, of sheets that did not change since. */
  #used = new Map<string, UsedBounds | undefined>();
  #nextSheetKey = 1;
  readonly ends = new EndWatch();
  readonly links = new LinkWatch();

  constructor(branchNo: number, coding: CellCoding) {
    this.branchNo = branchNo;
    this.coding = coding;
  }

  static restore({ structure, sheets, sections, ...restored }: RestoredState): StateParts {
    const { branchNo, coding, trimmings } = restored;
    const parts = new StateParts(branchNo, coding);
    parts.#content = BranchContent.restore(sections);
    parts.#nextSheetKey = trimmings.nextSheetKey;
    parts.structure = structure.withTables(TableList.from(sections.get('tables')?.entries ?? []));
    for (const { outline, cells } of sheets) parts.#cells.set(outline.id, cells);
    return parts;
  }

  /** Returns an independent copy. Blocks are shared until either side writes to them. */
  copy(branchNo: number): StateParts {
    const copy = new StateParts(branchNo, this.coding);
    copy.#content = this.#content.copy();
    copy.#keys = this.#keys.copy();
    copy.structure = this.structure;
    for (const [id, cells] of this.#cells) copy.#cells.set(id, cells.fork());
    copy.#used = new Map(this.#used);
    copy.#nextSheetKey = this.#nextSheetKey;
    return copy;
  }

  /** Returns a copy for reading, without the parts that only writers need. */
  still(): StateParts {
    const still = this.copy(this.branchNo);
    still.#keys = new KeyIndexes();
    return still;
  }

  /**
   * Returns a copy for reading that finds rows by the key indexes of this one, which may change
   * meanwhile.
   */
  watched(): StateParts {
    const watching = this.copy(this.branchNo);
    watching.#keys = this.#keys.watched();
    return watching;
  }

  get content(): BranchContent {
    return this.#content;
  }

  get looks(): Looks {
    return this.#content.looks;
  }

  get keys(): KeyIndexes {
    return this.#keys;
  }

  get nextSheetKey(): number {
    return this.#nextSheetKey;
  }

  readonly cellsOf = (sheet: SheetOutline): SheetCells => {
    const cells = this.#cells.get(sheet.id);
    if (!cells) throw new Error(`no cells for sheet ${sheet.id}`);
    return cells;
  };

  usedOf(sheet: SheetOutline): UsedBounds | undefined {
    if (!this.#used.has(sheet.id)) this.#used.set(sheet.id, this.cellsOf(sheet).used(sheet));
    return this.#used.get(sheet.id);
  }

  /** Forgets the used range of a sheet. Call it when cells, rows or columns of the sheet change. */
  forgetUsed(sheet: SheetOutline): void {
    this.#used.delete(sheet.id);
  }

  addSheet(sheet: SheetOutline, index: number): Mutation {
    this.#nextSheetKey = sheet.key + 1;
    this.#cells.set(sheet.id, new SheetCells());
    return { kind: 'sheetAdd', sheet: sheet.key, name: sheet.name, index };
  }

  fillSheet(sheet: SheetOutline, cells: SheetCells): void {
    this.#cells.set(sheet.id, cells);
  }

  /** Drops everything of a sheet that the structure no longer has. */
  dropSheet(sheet: SheetOutline): Mutation[] {
    const { names, looks, records } = this.#content;
    const scoped = names.ofScope(sheet.id);
    for (const { name } of scoped) names.delete(name, sheet.id);
    this.#cells.delete(sheet.id);
    this.#used.delete(sheet.id);
    this.#keys.drop(sheet);
    looks.dropSheet(sheet.id);
    records.dropSheet(sheet.id);
    const gone = scoped.map(({ name }): Mutation => ({
      kind: 'nameDelete',
      name,
      scope: sheet.key,
    }));
    return [...gone, { kind: 'sheetDelete', sheet: sheet.key }];
  }

  /** Returns the sections to store, except sheets and cells. */
  sections(form: StateForm): Section[] {
    const { structure, coding } = this;
    const writing = { form, structure, formulas: coding.formulas };
    return [...this.#content.sections(writing), section('tables', structure.tables)];
  }
}
