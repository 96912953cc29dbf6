import type { Order } from '../ids/order.ts';
import { Scale } from '../ids/scale.ts';
import type { Structure } from '../structure/structure.ts';
import { StyleList } from './style-list.ts';
import type { NodeSource } from '../nodes/nodes.ts';

export interface ArraySize {
  readonly rowCount: number;
  readonly columnCount: number;
  /**
   * True when the range ends at lines of another run than it begins at, so that its size is
   * unknown.
   */
  readonly isFar?: boolean;
}

/**
 * A formula as cells store it: a relative text, and the structure that it was written under. Cells
 * that were filled down share one, and moving rows around does not change it.
 */
export interface StoredFormula {
  readonly r1c1: string;
  readonly structure: Structure;
  /** Set for a formula from storage, whose structure is loaded when it is needed. */
  readonly unread?: UnreadStructure;
  /** Size of a legacy array formula's range, which begins at the cell. */
  readonly array: ArraySize | undefined;
  readonly legacy: boolean;
}

/**
 * Estimated bytes of entries with their places in list and index, without characters and sheets.
 */
const entryBytes = { dictionary: 1_500, text: 120, formula: 400, structure: 1_000, sheet: 400 };

/** A stored structure that is not loaded, because many are never needed. */
export interface UnreadStructure {
  readonly hash: Buffer;
  readonly source: NodeSource;
}

/** The texts, formulas and styles of a workbook, each stored once under an index. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #textIndex = new Map<string, number>();
  readonly #formulas: StoredFormula[] = [];
  readonly #formulaIndex = new Map<string, number>();
  /** Index of the last written formula with each text. */
  readonly #written = new Map<string, number>();
  /** Names of structures in the keys of formulas. */
  readonly #names = new WeakMap<Structure['sheets'], string>();
  #lastNumber = 0;
  #largestArray: StoredFormula['array'];
  /** Memory accounting of structures that formulas hold, and of storage. */
  readonly #held = new Scale();
  readonly #sources = new Set<NodeSource>();
  /** Loaded structures by digest. */
  readonly #structures = new Map<string, WeakRef<Structure>>();
  /** Small structures made for formulas that were read in ids, by the lines in them. */
  readonly #spaces = new Map<string, WeakRef<Structure>>();
  /** Loaded orders by hash. */
  readonly #orders = new Map<string, WeakRef<Order>>();
  /** The styles to which formats of blocks are indexes; 0 is an unformatted cell. */
  readonly styles = new StyleList();

  #byteCount = entryBytes.dictionary;

  /**
   * Adds the dictionary to the memory accounting. It only grows, and is freed with the last state
   * that uses it.
   */
  weigh(scale: Scale): void {
    if (!scale.isNew(this)) return;
    scale.add(this.#byteCount + this.#held.bytes + this.styles.size * entryBytes.formula);
    for (const source of this.#sources) source.weigh(scale);
  }

  textIndex(text: string): number {
    let index = this.#textIndex.get(text);
    if (index === undefined) {
      index = this.#texts.push(text) - 1;
      this.#textIndex.set(text, index);
      this.#byteCount += entryBytes.text + text.length * 2;
    }
    return index;
  }

  /** Returns the index of a text; undefined for one that no cell ever had. */
  knownText(text: string): number | undefined {
    return this.#textIndex.get(text);
  }

  text(index: number): string {
    return entry(this.#texts, index);
  }

  /** Texts have the indexes below it. */
  get textCount(): number {
    return this.#texts.length;
  }

  formulaIndex({ r1c1, structure, array, legacy }: Omit<StoredFormula, 'unread'>): number {
    const key = keyOf({ r1c1, array, legacy }, this.#nameOf(structure));
    const known = this.#formulaIndex.get(key);
    if (known !== undefined) return known;
    const alike = array ? undefined : this.#writtenIn({ r1c1, legacy }, structure);
    if (alike !== undefined) {
      this.#formulaIndex.set(key, alike);
      this.#byteCount += key.length;
      return alike;
    }
    this.#hold(structure);
    const index = this.#add(key, { r1c1, structure, array, legacy });
    if (!array) this.#written.set(r1c1, index);
    return index;
  }

  /** Finds an equal formula under an equal structure that is another object. */
  #writtenIn({ r1c1, legacy }: Omit<FormulaText, 'array'>, structure: Structure) {
    const index = this.#written.get(r1c1);
    const formula = index === undefined ? undefined : this.formula(index);
    const isAlike = formula?.legacy === legacy && areUntouched(formula.structure, structure);
    return isAlike ? index : undefined;
  }

  /**
   * Finds an equal formula on a sheet whose lines were never moved. So a formula read from storage
   * gets the index of a written one, and cells compare by numbers.
   */
  plainIndex({ r1c1, legacy }: Omit<FormulaText, 'array'>, sheetId: string): number | undefined {
    const index = this.#written.get(r1c1);
    const formula = index === undefined ? undefined : this.formula(index);
    const sheet = formula?.legacy === legacy ? formula.structure.withId(sheetId) : undefined;
    return sheet?.rows.isUntouched && sheet.columns.isUntouched ? index : undefined;
  }

  /** Returns the index of a formula with another text under the structure of an existing one. */
  rewrittenIndex(index: number, r1c1: string): number {
    const formula = this.formula(index);
    const { array, legacy, unread } = formula;
    const text = { r1c1, array, legacy };
    if (!unread) return this.formulaIndex({ ...text, structure: formula.structure });
    return this.storedFormulaIndex(text, unread, () => formula.structure);
  }

  /** Returns the index of a stored formula; its structure is loaded by `read` when it is needed. */
  storedFormulaIndex(
    { r1c1, array, legacy }: FormulaText,
    unread: UnreadStructure,
    read: () => Structure,
  ): number {
    const key = keyOf({ r1c1, array, legacy }, unread.hash.toString('hex'));
    const known = this.#formulaIndex.get(key);
    if (known !== undefined) return known;
    this.#sources.add(unread.source);
    return this.#add(key, new UnreadFormula({ r1c1, array, legacy }, unread, read));
  }

  /**
   * The largest number of rows and of columns of any legacy array; undefined when there are none.
   */
  get largestArray(): StoredFormula['array'] {
    return this.#largestArray;
  }

  #add(key: string, formula: StoredFormula): number {
    const { array } = formula;
    if (array && array.rowCount * array.columnCount > 1) {
      const { rowCount = 0, columnCount = 0 } = this.#largestArray ?? {};
      const least = array.isFar === true ? Infinity : 0;
      this.#largestArray = {
        rowCount: Math.max(rowCount, array.rowCount, least),
        columnCount: Math.max(columnCount, array.columnCount, least),
      };
    }
    const index = this.#formulas.push(formula) - 1;
    this.#formulaIndex.set(key, index);
    this.#byteCount += entryBytes.formula + formula.r1c1.length * 4 + key.length;
    return index;
  }

  #hold({ sheets }: Structure): void {
    if (!this.#held.isNew(sheets)) return;
    this.#held.add(entryBytes.structure + sheets.length * entryBytes.sheet);
    for (const { rows, columns } of sheets) {
      rows.weigh(this.#held);
      columns.weigh(this.#held);
    }
  }

  /** Number of formulas; their indexes are below it. */
  get formulaCount(): number {
    return this.#formulas.length;
  }

  formula(index: number): StoredFormula {
    return entry(this.#formulas, index);
  }

  /**
   * Names a structure, so that equal structures are recognised. Otherwise formulas would be stored
   * again for each state that is made.
   */
  nameStructure({ sheets }: Structure, name: string): void {
    this.#names.set(sheets, name);
  }

  /**
   * Returns the name of a structure, a number by default. Its hash would do, but takes time in
   * proportion to the rows.
   */
  #nameOf({ sheets }: Structure): string {
    let name = this.#names.get(sheets);
    if (name === undefined) {
      name = `${++this.#lastNumber}`;
      this.#names.set(sheets, name);
    }
    return name;
  }

  /** Returns the small structure for a formula that was read in ids, by the `key` of its lines. */
  space(key: string, make: () => Structure): Structure {
    const known = this.#spaces.get(key)?.deref();
    if (known) return known;
    const space = make();
    this.#spaces.set(key, new WeakRef(space));
    this.nameStructure(space, `space ${key}`);
    return space;
  }

  structure(digest: string): Structure | undefined {
    return this.#structures.get(digest)?.deref();
  }

  /** Returns the object that stands for all structures equal to a given one. */
  keepStructure(structure: Structure): Structure {
    const known = this.structure(structure.digest);
    if (known) return known;
    this.#structures.set(structure.digest, new WeakRef(structure));
    return structure;
  }

  order(hash: Buffer): Order | undefined {
    return this.#orders.get(hash.toString('hex'))?.deref();
  }

  keepOrder(hash: Buffer, order: Order): Order {
    this.#orders.set(hash.toString('hex'), new WeakRef(order));
    return order;
  }

  /** Returns the index of the style with only a number format. */
  formatIndex(pattern: string): number {
    return this.styles.numberFormatPatch(pattern).apply(0);
  }

  /** Returns the number format of a style. */
  format(index: number): string {
    return this.styles.pattern(index);
  }

  /** Returns the text of a style in stored blocks; empty for the default. */
  formatKey(index: number): string {
    return this.styles.text(index);
  }

  formatFromKey(key: string): number {
    return this.styles.indexOfText(key);
  }
}

/** Returns whether two structures have the same sheets, and no line was ever moved. */
function areUntouched(a: Structure, b: Structure): boolean {
  if (a.sheets.length !== b.sheets.length) return false;
  return a.sheets.every((sheet, index) => {
    const other = b.sheets[index];
    if (sheet.id !== other?.id || sheet.name !== other.name) return false;
    const orders = [sheet.rows, sheet.columns, other.rows, other.columns];
    return orders.every((order) => order.isUntouched);
  });
}

type FormulaText = Pick<StoredFormula, 'r1c1' | 'array' | 'legacy'>;

/**
 * A formula that loads its structure at each use, because it is as large as the order of all rows,
 * and should be freed when nobody holds it.
 */
class UnreadFormula implements StoredFormula {
  readonly r1c1: string;
  readonly array: StoredFormula['array'];
  readonly legacy: boolean;
  readonly unread: UnreadStructure;
  readonly #read: () => Structure;
  #structure: WeakRef<Structure> | undefined;

  constructor(text: FormulaText, unread: UnreadStructure, read: () => Structure) {
    this.r1c1 = text.r1c1;
    this.array = text.array;
    this.legacy = text.legacy;
    this.unread = unread;
    this.#read = read;
  }

  get structure(): Structure {
    const known = this.#structure?.deref();
    if (known) return known;
    const read = this.#read();
    this.#structure = new WeakRef(read);
    return read;
  }
}

function keyOf({ r1c1, array, legacy }: FormulaText, structure: string): string {
  const extent = array ? `${array.rowCount}x${array.columnCount}` : '';
  return `${structure}\n${extent}\n${legacy ? 'legacy' : ''}\n${r1c1}`;
}

function entry<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`the dictionary has no entry ${index}`);
  return item;
}
