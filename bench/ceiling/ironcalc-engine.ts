import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Book, Engine, PlainValue } from '../kernel/engine.ts';
import { widthOf } from '../kernel/engine.ts';
import type { Cell, Edit, Sheet } from '../kernel/workload.ts';
import { requirePeer } from '../peers.ts';

/** The part of the module that the bench uses; its own types exist only if it is installed. */
interface IronCalcModule {
  initSync(source: { module: Uint8Array }): { readonly memory: WebAssembly.Memory };
  readonly Model: new (name: string, locale: string, zone: string, language: string) => IronModel;
}

interface IronModel {
  newSheet(): void;
  renameSheet(sheet: number, name: string): void;
  setUserInput(sheet: number, row: number, column: number, input: string): void;
  pauseEvaluation(): void;
  evaluate(): void;
  getFormattedCellValue(sheet: number, row: number, column: number): string;
  getCellType(sheet: number, row: number, column: number): number;
  updateRangeStyle(area: Area, property: string, value: string): void;
  free(): void;
}

interface Area {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly height: number;
}

const numberType = 1;
const booleanType = 4;
/** Format that shows all digits, because values are only available as shown texts. */
const allDigits = '0.00000000000000E+00';

export async function loadIronCalc(): Promise<Engine> {
  const path = requirePeer.resolve('@ironcalc/wasm');
  const ironCalc = (await import(pathToFileURL(path).href)) as IronCalcModule;
  const bytes = await readFile(join(dirname(path), 'wasm_bg.wasm'));
  const { memory } = ironCalc.initSync({ module: bytes });
  return {
    name: 'ironcalc',
    build: (sheets) => new PeerBook(new ironCalc.Model('bench', 'en', 'UTC', 'en'), memory, sheets),
  };
}

/** A book that calculates the whole workbook after each edit, as IronCalc always does. */
class PeerBook implements Book {
  readonly #model: IronModel;
  readonly #memory: WebAssembly.Memory;
  readonly #sheets: readonly Sheet[];

  constructor(model: IronModel, memory: WebAssembly.Memory, sheets: readonly Sheet[]) {
    this.#model = model;
    this.#memory = memory;
    this.#sheets = sheets;
    model.pauseEvaluation();
    for (const [index, { name, rows }] of sheets.entries()) {
      if (index > 0) model.newSheet();
      model.renameSheet(index, name);
      this.#set({ sheet: index, row: 0, column: 0, rows });
    }
    model.evaluate();
  }

  edit(edit: Edit): void {
    this.#set(edit);
    this.#model.evaluate();
  }

  values(sheet: number): PlainValue[][] {
    const { rows } = this.#sheets[sheet] ?? { rows: [] };
    const area = { sheet, row: 1, column: 1, width: widthOf(rows), height: rows.length };
    this.#model.updateRangeStyle(area, 'num_fmt', allDigits);
    return rows.map((cells, row) =>
      cells.map((_, column) => this.#value(sheet, row + 1, column + 1)),
    );
  }

  /** Bytes of all books together, which share one memory. */
  get outsideBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  close(): void {
    this.#model.free();
  }

  #set({ sheet, row, column, rows }: Edit): void {
    for (const [down, cells] of rows.entries()) {
      for (const [right, cell] of cells.entries()) {
        this.#model.setUserInput(sheet, row + down + 1, column + right + 1, typed(cell));
      }
    }
  }

  #value(sheet: number, row: number, column: number): PlainValue {
    const text = this.#model.getFormattedCellValue(sheet, row, column);
    const type = this.#model.getCellType(sheet, row, column);
    if (type === booleanType) return text === 'TRUE';
    if (type !== numberType) return text;
    return text === '' ? null : Number(text);
  }
}

function typed(cell: Cell): string {
  return typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell ?? '');
}
