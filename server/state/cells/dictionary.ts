import type { Order } from '../ids/order.ts';
import { Scale } from '../ids/scale.ts';
import type { Structure } from '../structure/structure.ts';
import { StyleList } from './style-list.ts';
import type { NodeSource } from '../nodes/nodes.ts';

export interface ArraySize {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Set where it ends at lines of another run than it begins at: what is between is not known. */
  readonly isFar?: boolean;
}

/**
 * A formula as cells keep it: relative text and the structure it was written in. Cells filled down
 * share one; rows that move around it later change nothing here.
 */
export interface StoredFormula {
  readonly r1c1: string;
  readonly structure: Structure;
  /** Set for a formula that was read from storage; its structure is read when it is needed. */
  readonly unread?: UnreadStructure;
  /** Size of a legacy array formula's range, which starts at the cell. */
  readonly array: ArraySize | undefined;
  readonly legacy: boolean;
}

/** An entry with its place in the list and in the index; characters and sheets come on top. */
const entryBytes = { dictionary: 1_500, text: 120, formula: 400, structure: 1_000, sheet: 400 };

/** A structure that is in storage: formulas name many that nobody asks for. */
export interface UnreadStructure {
  readonly hash: Buffer;
  readonly source: NodeSource;
}

/** Texts of cells, their formulas and styles, each stored once and named by an index. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #textIndex = new Map<string, number>();
  readonly #formulas: StoredFormula[] = [];
  readonly #formulaIndex = new Map<string, number>();
  /** The last formula of each text that was written in a structure of a branch, by the text. */
  readonly #written = new Map<string, number>();
  /**
   * The text that stands for the sheets of a structure in the keys of formulas, by those sheets.
   */
  readonly #names = new WeakMap<Structure['sheets'], string>();
  #lastNumber = 0;
  #largestArray: StoredFormula['array'];
  /** Memory accounting for structures that formulas were written in, and for storage. */
  readonly #held = new Scale();
  readonly #sources = new Set<NodeSource>();
  /** Structures that were loaded, by digest. */
  readonly #structures = new Map<string, WeakRef<Structure>>();
  /** Structures of formulas that were loaded in ids, by their lines. */
  readonly #spaces = new Map<string, WeakRef<Structure>>();
  /** Orders of structures that were loaded, by hash. */
  readonly #orders = new Map<string, WeakRef<Order>>();
  /**
   * The cell styles that the format numbers of blocks are indexes of; 0 is a cell nobody formatted.
   */
  readonly styles = new StyleList();

  #byteCount = entryBytes.dictionary;

  /**
   * Adds the dictionary to the memory accounting. It only grows, and goes with the last state that
   * uses it.
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

  /** Undefined for a text that no cell ever held. */
  knownText(text: string): number | undefined {
    return this.#textIndex.get(text);
  }

  text(index: number): string {
    return entry(this.#texts, index);
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

  /** A formula that was written in an equal structure, of a state that was made another time. */
  #writtenIn({ r1c1, legacy }: Omit<FormulaText, 'array'>, structure: Structure) {
    const index = this.#written.get(r1c1);
    const formula = index === undefined ? undefined : this.formula(index);
    const isAlike = formula?.legacy === legacy && areUntouched(formula.structure, structure);
    return isAlike ? index : undefined;
  }

  /**
   * A formula that means the same on a sheet whose lines stand where they were made: one that is
   * read from storage has the index of one that was written, and cells compare as numbers.
   */
  plainIndex({ r1c1, legacy }: Omit<FormulaText, 'array'>, sheetId: string): number | undefined {
    const index = this.#written.get(r1c1);
    const formula = index === undefined ? undefined : this.formula(index);
    const sheet = formula?.legacy === legacy ? formula.structure.withId(sheetId) : undefined;
    return sheet?.rows.isUntouched && sheet.columns.isUntouched ? index : undefined;
  }

  /** A formula with another text, written in the structure of one that is here. */
  rewrittenIndex(index: number, r1c1: string): number {
    const formula = this.formula(index);
    const { array, legacy, unread } = formula;
    const text = { r1c1, array, legacy };
    if (!unread) return this.formulaIndex({ ...text, structure: formula.structure });
    return this.storedFormulaIndex(text, unread, () => formula.structure);
  }

  /** A formula as it is stored; `read` is called when its structure is needed. */
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
   * Rows and columns of the runs of its ends that no array of several cells exceeds; undefined
   * where there is none.
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

  /** Formulas have the indexes below it. */
  get formulaCount(): number {
    return this.#formulas.length;
  }

  formula(index: number): StoredFormula {
    return entry(this.#formulas, index);
  }

  /**
   * Says what a structure is: equal ones by the same name, and no others. Without it the same
   * formulas are kept again for each time that a state is made.
   */
  nameStructure({ sheets }: Structure, name: string): void {
    this.#names.set(sheets, name);
  }

  /**
   * Names a structure by a number of this process: its hash would do, but takes time in proportion
   * to the rows of the order.
   */
  #nameOf({ sheets }: Structure): string {
    let name = this.#names.get(sheets);
    if (name === undefined) {
      name = `${++this.#lastNumber}`;
      this.#names.set(sheets, name);
    }
    return name;
  }

  /** A structure with the lines that a stored formula names; `key` says which. */
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

  /** Returns the one object that stands for all structures equal to this one. */
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

  /** The style with this number format and nothing else. */
  formatIndex(pattern: string): number {
    return this.styles.numberFormatPatch(pattern).apply(0);
  }

  /** The number format of a style. */
  format(index: number): string {
    return this.styles.pattern(index);
  }

  /** The text that stands for a style in stored blocks; empty for the default. */
  formatKey(index: number): string {
    return this.styles.text(index);
  }

  formatFromKey(key: string): number {
    return this.styles.indexOfText(key);
  }
}

/** Returns whether both have the same sheets, and no line of them was ever moved. */
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
 * A formula that reads its structure at each use: one is as large as the order of all rows, and
 * goes again when nobody holds it.
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
