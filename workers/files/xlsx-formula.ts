import { cellName } from '../../server/model/address.ts';
import { cellCount, parseRange, rangeName } from '../../server/model/range.ts';
import { fileLimits } from './file-limits.ts';
import { formulaFromFile, withinTable } from './formula-import.ts';
import { asksOtherProgram, asksPivotTable, isExternal } from './formula-tokens.ts';
import type { FormulaTable } from './formula-table.ts';
import { cellKind, type SheetCells } from './sheet-cells.ts';
import type { SheetContext, SheetTarget } from './sheet-context.ts';
import { TableAreas } from './table-areas.ts';
import type { XmlAttributes } from './xml-reader.ts';
import { decodeEscapes, hasNoCharacter, lostCharacters } from './xml-text.ts';

/** An `f` element and its cell. */
interface FormulaElement {
  readonly row: number;
  readonly column: number;
  readonly attributes: XmlAttributes;
  readonly text: string;
  /** True when `cm` of the cell means a dynamic array. */
  readonly isDynamic: boolean;
}

/** A shared formula, with its template in each table around the cells that share it. */
interface SharedFormula {
  readonly first: FormulaElement;
  readonly templates: Map<string | undefined, number | undefined>;
}

/** Reads the formulas of one sheet into its cells. */
export class FormulaReader {
  readonly #name: string;
  readonly #cells: SheetCells;
  readonly #table: FormulaTable;
  readonly #context: SheetContext;
  readonly #tables: TableAreas;
  readonly #shared = new Map<string, SharedFormula>();
  /** Verdict of the kernel on each template that was tried. */
  readonly #accepted = new Map<number, boolean>();

  constructor(target: SheetTarget, context: SheetContext) {
    this.#name = target.name;
    this.#cells = target.content;
    this.#table = target.content.pool.formulas;
    this.#context = context;
    this.#tables = new TableAreas(target.tables);
  }

  /** Returns whether a cell shares a formula whose text may come in a cell further down. */
  waits({ t, si = '' }: XmlAttributes, text: string): boolean {
    return t === 'shared' && text === '' && !this.#shared.has(si);
  }

  /** Adds a formula to the cells; returns false if only the cached value can be kept. */
  add(element: FormulaElement): boolean {
    switch (element.attributes['t']) {
      case 'shared':
        return this.#addShared(element);
      case 'array':
        return this.#addArray(element);
      case 'dataTable':
        this.#drop('data table formula', 'what-if tables are not kept; their values are', element);
        return false;
      default:
        return this.#addPlain(element);
    }
  }

  /** Drops shared formulas, which only their sheet knows. */
  finish(): void {
    this.#shared.clear();
  }

  #addPlain(element: FormulaElement): boolean {
    // Excel leaves an empty <f ca="1"/> in cells that a volatile array formula fills.
    if (element.text === '') return false;
    const template = this.#template(element, !element.isDynamic, this.#tables.around(element));
    if (template === undefined) return false;
    this.#addCell(element, template);
    return true;
  }

  #addShared(element: FormulaElement): boolean {
    const index = element.attributes['si'] ?? '';
    if (element.text !== '') this.#shared.set(index, { first: element, templates: new Map() });
    const shared = this.#shared.get(index);
    if (!shared) {
      this.#drop('shared formula', 'the cell that holds its text is missing', element);
      return false;
    }
    const template = this.#sharedTemplate(shared, this.#tables.around(element));
    if (template === undefined) return false;
    this.#addCell(element, template);
    return true;
  }

  /** Returns the template of a shared formula in a table; undefined if it cannot be kept. */
  #sharedTemplate({ first, templates }: SharedFormula, table: string | undefined) {
    if (!templates.has(table)) templates.set(table, this.#template(first, true, table));
    return templates.get(table);
  }

  #addArray(element: FormulaElement): boolean {
    if (element.text === '') return false;
    const template = this.#template(element, false, this.#tables.around(element));
    if (template === undefined) return false;
    if (element.isDynamic) {
      this.#addCell(element, template);
      return true;
    }
    const range = parseRange(element.attributes['ref'] ?? '');
    if (range && cellCount(range) > fileLimits.arrayCells) {
      const why = `they fill more than ${fileLimits.arrayCells} cells; their last values are kept`;
      this.#drop('array formulas', why, element);
      return false;
    }
    const own = cellName(element.row, element.column);
    const array = { formula: template, range: range === undefined ? own : rangeName(range) };
    this.#cells.addArray(element.row, element.column, array);
    return true;
  }

  #addCell(element: FormulaElement, template: number): void {
    const cell = { kind: cellKind.formula, data: template };
    this.#cells.add(element.row, element.column, cell);
  }

  /** Returns the template of a formula's text; undefined if it cannot be kept. */
  #template(
    element: FormulaElement,
    isScalar: boolean,
    table: string | undefined,
  ): number | undefined {
    // Prefixes make a file's text longer than the typed one, but not four times.
    const isTooLong = element.text.length > fileLimits.formulaCharacters * 4;
    const spelled = isTooLong ? element.text : this.#context.renames.respell(element.text);
    const lost = isTooLong ? undefined : this.#lossOf(spelled);
    if (lost !== undefined) {
      this.#drop(...lost, element);
      return undefined;
    }
    const keepsSpace = element.attributes['xml:space'] === 'preserve';
    const whole = isTooLong ? spelled : formulaFromFile(decodeEscapes(spelled), keepsSpace);
    const text = isTooLong || table === undefined ? whole : withinTable(whole, table);
    if (hasNoCharacter(element.text)) this.#drop(...lostCharacters, element);
    if (text.length > fileLimits.formulaCharacters) {
      this.#drop('formula', 'it is too long; its last value is kept', element);
      return undefined;
    }
    const { row, column } = element;
    const template = this.#table.intern(text, { row, column, isScalar });
    if (this.#isAccepted(template, text)) return template;
    this.#drop('formula', 'it cannot be read; its last value is kept', element);
    return undefined;
  }

  /** Returns the loss when a formula asks another workbook, by a name too, or a pivot table. */
  #lossOf(text: string): readonly [what: string, why: string] | undefined {
    if (isExternal(text) || this.#context.externalNames.areUsedBy(text, this.#name)) {
      const why = 'they refer to other workbooks; their last values are kept';
      return ['formulas with external links', why];
    }
    if (asksOtherProgram(text)) {
      const why = 'Excel has no such functions; their last values are kept';
      return ['formulas of other programs', why];
    }
    if (!asksPivotTable(text)) return undefined;
    const why = 'pivot tables are not kept; the last values of these are';
    return ['formulas about pivot tables', why];
  }

  #isAccepted(template: number, text: string): boolean {
    const accepts = this.#context.acceptsFormula;
    if (accepts === undefined) return true;
    let verdict = this.#accepted.get(template);
    if (verdict === undefined) {
      verdict = accepts(text);
      this.#accepted.set(template, verdict);
    }
    return verdict;
  }

  #drop(what: string, why: string, element: FormulaElement): void {
    const isOne = what === 'formula';
    const cell = `${this.#name}!${cellName(element.row, element.column)}`;
    this.#context.dropped.add(what, why, { where: isOne ? cell : this.#name });
  }
}
