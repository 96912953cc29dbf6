import { hasNoCharacter } from './xml-text.ts';
import { cutText } from '../../server/model/cut-text.ts';
import { parseAddress, columnLimit, rowLimit } from '../../server/model/address.ts';
import { normalStyle } from '../../server/model/cell-style.ts';
import { parseRange } from '../../server/model/range.ts';
import type { Value } from '../../server/model/cell-value.ts';
import { ArrayCover } from './array-cover.ts';
import { fileLimits } from './file-limits.ts';
import { brokenFile } from './file-problem.ts';
import type { FileRecord } from './file-record.ts';
import { SheetLosses } from './sheet-losses.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetContext, SheetTarget } from './sheet-context.ts';
import type { SheetLook } from './sheet-look.ts';
import { addValue, readValue, type CellElement, type FoundValue } from './xlsx-cell.ts';
import { FormulaReader } from './xlsx-formula.ts';
import { RecordReader } from './xlsx-read-records.ts';
import { SheetLookReader } from './xlsx-sheet-look.ts';
import { StringItem } from './xlsx-strings.ts';
import { isTrue, readXml, type XmlAttributes, type XmlConsumer } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/** Content of a worksheet part apart from its cells. */
interface SheetRest {
  readonly look: SheetLook;
  /** Records that lie on the cells. */
  readonly records: readonly FileRecord[];
}

/** Reads the cells into the target; returns the rest. */
export function readSheet(zip: ZipEntries, target: SheetTarget, context: SheetContext): SheetRest {
  const reader = new SheetReader(target, context);
  readXml(zip, target.part, reader);
  const look = reader.finish();
  target.content.settle();
  return { look, records: reader.records() };
}

// Depths of the elements in <worksheet><sheetData><row><c><v>.
const sectionDepth = 2;
const rowDepth = 3;
const cellDepth = 4;
const contentDepth = 5;

/** Turns the elements of a worksheet into cells as they stream by. */
class SheetReader implements XmlConsumer {
  readonly #name: string;
  readonly #cells: SheetCells;
  readonly #context: SheetContext;
  readonly #losses: SheetLosses;
  readonly #records: RecordReader;
  readonly #formulas: FormulaReader;
  readonly #look: SheetLookReader;
  readonly #hidden: SheetTarget['hidden'];
  readonly #cover = new ArrayCover();
  #isInData = false;
  /** Styles of whole columns and of the current row, as indexes of the pool. */
  #columnFormats: readonly number[] = [];
  #rowFormat = 0;
  #row = -1;
  #column = -1;
  /** Attributes of the current cell. */
  #attributes: XmlAttributes = {};
  #formula: XmlAttributes | undefined;
  #formulaText = '';
  #valueText = '';
  /** True when the cell has a `v` or an `is`, even an empty one. */
  #hasValue = false;
  #inline: StringItem | undefined;
  /** Cells that share a formula which has not come yet, to be added behind all others. */
  readonly #waiting: (() => void)[] = [];
  /** Element that gets the text: `f`, `v` or the inline string. */
  #collecting: 'f' | 'v' | 'is' | undefined;

  constructor(target: SheetTarget, context: SheetContext) {
    this.#name = target.name;
    this.#cells = target.content;
    this.#context = context;
    this.#losses = new SheetLosses(target.name, context.dropped);
    this.#formulas = new FormulaReader(target, context);
    this.#look = new SheetLookReader(context.styles);
    this.#hidden = target.hidden;
    const { name: sheet, links } = target;
    const { formatStyles: styles, dropped, renames, acceptsFormula } = context;
    this.#records = new RecordReader({ sheet, links, styles, dropped, renames, acceptsFormula });
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth > cellDepth && this.#isInData) this.#openContent(name, attributes, depth);
    else if (depth === cellDepth && name === 'c' && this.#isInData) this.#openCell(attributes);
    else if (depth === rowDepth && name === 'row' && this.#isInData) this.#openRow(attributes);
    else if (!this.#isInData) this.#openBeside(name, attributes, depth);
  }

  text(text: string): void {
    if (this.#collecting === 'v') this.#valueText += text;
    else if (this.#collecting === 'f') this.#formulaText += text;
    else if (this.#collecting === 'is') this.#inline?.take(text);
    else if (!this.#isInData) this.#records.text(text);
  }

  close(name: string, depth: number): void {
    if (!this.#isInData) this.#records.close();
    else if (depth === cellDepth && name === 'c') this.#closeCell();
    else if (depth === contentDepth) this.#collecting = undefined;
    else if (depth > contentDepth) this.#inline?.close(name);
    else if (depth === sectionDepth) this.#isInData = false;
  }

  finish(): SheetLook {
    for (const add of this.#waiting) add();
    this.#losses.finish();
    this.#formulas.finish();
    return this.#look.finish(this.#hidden);
  }

  #openData(): void {
    this.#isInData = true;
    const formats: number[] = [];
    for (const { from, to, value } of this.#look.columnRuns) {
      if (value.style === undefined) continue;
      formats.length = Math.max(formats.length, to + 1);
      formats.fill(this.#cells.pool.styleOf(value.style), from, to + 1);
    }
    this.#columnFormats = formats;
  }

  records(): FileRecord[] {
    return this.#records.records();
  }

  #openBeside(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === sectionDepth && name === 'sheetData') this.#openData();
    else if (!this.#look.see(name, attributes, depth)) {
      this.#losses.see(name);
      this.#records.open(name, attributes, depth);
    }
  }

  #openRow(attributes: XmlAttributes): void {
    const given = attributes['r'];
    this.#row = given === undefined ? this.#row + 1 : Number(given) - 1;
    this.#column = -1;
    if (!(this.#row >= 0 && this.#row < rowLimit)) {
      throw brokenFile(`sheet ${this.#name} has a row outside of the grid`);
    }
    const style = isTrue(attributes['customFormat']) ? attributes['s'] : undefined;
    this.#rowFormat = style === undefined ? 0 : this.#context.styles.indexOf(Number(style));
    this.#look.seeRow(this.#row, attributes);
  }

  #openCell(attributes: XmlAttributes): void {
    const given = attributes['r'];
    if (given === undefined) {
      this.#column++;
      if (this.#column >= columnLimit) throw this.#outside();
    } else {
      const address = parseAddress(given);
      if (address === undefined) throw this.#outside();
      this.#row = address.row;
      this.#column = address.column;
    }
    this.#attributes = attributes;
    this.#formula = undefined;
    this.#inline = undefined;
    this.#formulaText = '';
    this.#valueText = '';
    this.#hasValue = false;
  }

  #outside(): Error {
    return brokenFile(`sheet ${this.#name} has a cell outside of the grid`);
  }

  #openContent(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth > contentDepth) {
      this.#inline?.open(name);
    } else if (name === 'v') {
      this.#collecting = 'v';
      this.#hasValue = true;
    } else if (name === 'f') {
      this.#collecting = 'f';
      this.#formula = attributes;
    } else if (name === 'is') {
      this.#collecting = 'is';
      this.#inline = new StringItem();
      this.#hasValue = true;
    }
  }

  #closeCell(): void {
    const row = this.#row;
    const column = this.#column;
    this.#addFormat(row, column);
    if (this.#inline?.isRich === true) this.#losses.richTextCount++;
    const element: CellElement = {
      type: this.#attributes['t'] ?? 'n',
      text: this.#valueText,
      inline: this.#inline?.decoded(),
    };
    if (this.#inline?.losesCharacters ?? hasNoCharacter(element.text)) {
      this.#losses.lostCharacterCount++;
    }
    if (this.#formula === undefined || !this.#formulas.waits(this.#formula, this.#formulaText)) {
      return this.#addContent(element);
    }
    const [attributes, formula] = [this.#attributes, this.#formula];
    this.#waiting.push(() => {
      this.#row = row;
      this.#column = column;
      this.#attributes = attributes;
      this.#formula = formula;
      this.#formulaText = '';
      this.#addContent(element);
    });
  }

  /** Adds the formula of the present cell, or else its value. */
  #addContent(element: CellElement): void {
    const row = this.#row;
    const column = this.#column;
    if (this.#formula !== undefined && this.#addFormula(this.#formula, element)) return;
    // A value that an array formula spilled into another cell is no input of that cell.
    if (this.#cover.covers(row, column)) this.#keep(element);
    else addValue(this.#cells, { row, column }, this.#constantOf(element));
  }

  #addFormat(row: number, column: number): void {
    const format = this.#context.styles.indexOf(Number(this.#attributes['s'] ?? 0));
    const below = this.#rowFormat || (this.#columnFormats[column] ?? 0);
    if (format === below) return;
    // A cell without a style overrides that of its row or column by being Normal.
    const own = format || this.#cells.pool.styleOf({ named: normalStyle });
    this.#cells.addFormat(row, column, own);
  }

  /** Returns the value of a cell without a formula, cut to what a cell may hold. */
  #constantOf(element: CellElement): FoundValue {
    const found = this.#valueOf(element);
    const text = this.#textOf(found);
    if (text === undefined) return found;
    // Some programs write a type for formatted blank cells, too.
    if (text === '' && !this.#hasValue) return null;
    if (text.length <= fileLimits.textCharacters) return found;
    this.#losses.longTextCount++;
    return cutText(text, fileLimits.textCharacters);
  }

  #textOf(found: FoundValue): string | undefined {
    if (typeof found === 'string') return found;
    if (typeof found !== 'object' || found === null || !('shared' in found)) return undefined;
    return this.#cells.pool.strings[found.shared];
  }

  /** Adds the formula; returns false if the cached value takes its place. */
  #addFormula(attributes: XmlAttributes, element: CellElement): boolean {
    const row = this.#row;
    const column = this.#column;
    const isDynamic = this.#context.dynamicMarks.has(Number(this.#attributes['cm'] ?? 0));
    const text = this.#formulaText;
    const added = this.#formulas.add({ row, column, attributes, text, isDynamic });
    if (!added) return false;
    const array = attributes['t'] === 'array' ? parseRange(attributes['ref'] ?? '') : undefined;
    if (array !== undefined && !this.#cover.add(array)) {
      throw brokenFile(`sheet ${this.#name} has array formulas that overlap`);
    }
    this.#keep(element);
    return true;
  }

  #keep(element: CellElement): void {
    const values = this.#cells.cachedValues;
    if (values === undefined) return;
    const found = this.#valueOf(element);
    const isShared = typeof found === 'object' && found !== null && 'shared' in found;
    const value: Value = isShared ? (this.#textOf(found) ?? '') : found;
    if (value !== null) values.set(this.#row * columnLimit + this.#column, value);
  }

  #valueOf(element: CellElement): FoundValue {
    const mark = this.#attributes['vm'];
    const error = mark === undefined ? undefined : this.#context.richErrors.get(Number(mark));
    if (error !== undefined && element.type === 'e') return { error };
    return readValue(element, {
      date1904: this.#context.date1904,
      sharedStringCount: this.#context.sharedStringCount,
      noNumber: () => this.#losses.wrongNumberCount++,
      noText: () => this.#losses.missingTextCount++,
    });
  }
}
