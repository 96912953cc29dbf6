import { requirePeer } from '../peers.ts';
import type { Book, Engine, PlainValue } from './engine.ts';
import type { Cell, Edit, Sheet } from './workload.ts';

/**
 * Part of hyperformula that the bench uses. Its own types are not there when it is not installed.
 */
interface HyperFormulaClass {
  readonly version: string;
  getRegisteredFunctionNames(language: string): string[];
  buildFromSheets(
    sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>,
    options: Readonly<Record<string, unknown>>,
  ): HyperFormulaBook;
}

type HyperFormulaValue = PlainValue | { readonly value: string };

interface HyperFormulaBook {
  getSheetValues(sheet: number): HyperFormulaValue[][];
  setCellContents(
    address: { sheet: number; row: number; col: number },
    rows: readonly (readonly Cell[])[],
  ): unknown;
  destroy(): void;
}

export function loadHyperFormula(): HyperFormulaClass {
  let loaded: unknown;
  try {
    loaded = requirePeer('hyperformula');
  } catch (cause) {
    const reason = 'hyperformula is not installed: run `npm ci --prefix bench` first';
    throw new Error(reason, { cause });
  }
  return (loaded as { HyperFormula: HyperFormulaClass }).HyperFormula;
}

export function hyperFormulaEngine(
  hyperFormula: HyperFormulaClass,
  options: Readonly<Record<string, boolean>> = {},
): Engine {
  const settings = { licenseKey: 'gpl-v3', maxRows: 1_048_576, maxColumns: 16_384, ...options };
  return {
    name: 'hyperformula',
    build: (sheets) => new PeerBook(hyperFormula, sheets, settings),
  };
}

class PeerBook implements Book {
  readonly outsideBytes = 0;
  readonly #book: HyperFormulaBook;

  constructor(
    hyperFormula: HyperFormulaClass,
    sheets: readonly Sheet[],
    settings: Readonly<Record<string, unknown>>,
  ) {
    const byName = Object.fromEntries(sheets.map(({ name, rows }) => [name, rows]));
    this.#book = hyperFormula.buildFromSheets(byName, settings);
  }

  edit({ sheet, row, column, rows }: Edit): void {
    this.#book.setCellContents({ sheet, row, col: column }, rows);
  }

  values(sheet: number): PlainValue[][] {
    return this.#book.getSheetValues(sheet).map((row) => row.map(plainValue));
  }

  close(): void {
    this.#book.destroy();
  }
}

function plainValue(value: HyperFormulaValue): PlainValue {
  return typeof value === 'object' && value !== null ? value.value : value;
}
