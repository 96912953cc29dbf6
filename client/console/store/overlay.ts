import { parseAddress, type Address } from '../../../server/model/address.ts';
import { cellCount, parseSheetRange, type Range } from '../../../server/model/range.ts';
import { shiftedCell, type Shift } from '../../../server/model/shift.ts';
import { inputText } from '../sheet/input-text.ts';

/** An operation to submit. */
export interface Op {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An operation of the branch, by anybody. */
export interface News {
  readonly seq: number;
  readonly kind: string;
  readonly payload: unknown;
  /** Writer of an operation that the service reported. */
  readonly writer?: string;
  /** True for an operation that this page submitted. */
  readonly isOwn?: true;
}

/** Texts of cells, by `row:column` from 0, that are shown until the service has calculated them. */
export interface Layer {
  readonly id: string;
  /** Name or id of the sheet, as in the operation. */
  readonly sheet: string;
  readonly cells: ReadonlyMap<string, string>;
  /** Sequence number of the applied operation: blocks of that position show it themselves. */
  readonly seq: number | undefined;
}

const clearedMost = 10_000;

/** Returns a text member of a payload; empty if it is none. */
export function memberText(payload: unknown, name: string): string {
  const value = (payload as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the text of the newest layer above a block of a position; undefined if there is none. */
export function textAbove(
  layers: readonly Layer[],
  { row, column }: Address,
  blockSeq: number,
): string | undefined {
  const key = `${row}:${column}`;
  for (let at = layers.length - 1; at >= 0; at--) {
    const layer = layers[at];
    if (!layer || (layer.seq !== undefined && layer.seq <= blockSeq)) continue;
    const text = layer.cells.get(key);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Returns the cells that an operation writes itself, with their typed texts. */
export function cellsOf({ kind, payload }: Op): Map<string, string> {
  const cells = new Map<string, string>();
  if (kind === 'cells.set') {
    for (const { a1, input } of payload['cells'] as { a1: string; input?: unknown }[]) {
      const at = parseAddress(a1);
      if (at && input !== undefined) cells.set(`${at.row}:${at.column}`, inputText(input));
    }
  } else if (kind === 'range.set' || kind === 'range.clear') {
    for (const area of parseSheetRange(memberText(payload, 'range'))?.areas ?? []) {
      if (kind === 'range.set') writeInputs(cells, area, payload['inputs'] as unknown[][]);
      else if (clears(payload)) clearArea(cells, area);
    }
  }
  return cells;
}

/** Returns the layer that shows an operation until its result is known. */
export function layerOf(id: string, op: Op, seq: number | undefined): Layer {
  return { id, sheet: memberText(op.payload, 'sheet'), cells: cellsOf(op), seq };
}

/** Returns a layer after lines of its sheet have moved, without deleted cells. */
export function shiftedLayer(layer: Layer, shifts: readonly Shift[]): Layer {
  const cells = new Map<string, string>();
  for (const [key, text] of layer.cells) {
    const [row = 0, column = 0] = key.split(':').map(Number);
    let cell: Address | undefined = { row, column };
    for (const shift of shifts) cell = cell && shiftedCell(cell, shift);
    if (cell) cells.set(`${cell.row}:${cell.column}`, text);
  }
  return { ...layer, cells };
}

/** Describes an operation for people who see it waiting or rejected. */
export function toldOf({ kind, payload }: Op): string {
  if (kind === 'cells.set') {
    const [first, ...others] = payload['cells'] as readonly { a1: string; input?: unknown }[];
    const text = `${first?.a1 ?? ''} = ${shortened(inputText(first?.input))}`;
    return others.length === 0 ? text : `${text} and ${others.length} more cells`;
  }
  const range = payload['range'] ?? payload['target'] ?? payload['to'];
  const names: Readonly<Record<string, string>> = {
    'range.set': 'paste into',
    'range.clear': 'clear',
    'format.set': 'format',
    'range.sort': 'sort',
    'range.copy': 'copy to',
    'range.move': 'move to',
    'range.autofill': 'fill',
  };
  const verb = names[kind] ?? kind.replaceAll('.', ' ');
  return typeof range === 'string' ? `${verb} ${range}` : verb;
}

/** Returns the typed or pasted input as tab-separated text. */
export function typedOf({ kind, payload }: Op): string {
  if (kind === 'range.set') {
    const rows = payload['inputs'] as unknown[][];
    return rows.map((row) => row.map(inputText).join('\t')).join('\n');
  }
  if (kind !== 'cells.set') return '';
  const cells = payload['cells'] as readonly { input?: unknown }[];
  return cells.map(({ input }) => inputText(input)).join('\n');
}

/** Returns the first cell of an operation. */
export function placeOf({ kind, payload }: Op): Address | undefined {
  if (kind === 'cells.set') {
    const [first] = payload['cells'] as readonly { a1: string }[];
    return parseAddress(first?.a1 ?? '');
  }
  const name = memberText(payload, 'range') || memberText(payload, 'to');
  const area = parseSheetRange(name)?.areas[0];
  return area && { row: area.row0, column: area.column0 };
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function clears({ what }: Readonly<Record<string, unknown>>): boolean {
  return !Array.isArray(what) || what.includes('values');
}

function writeInputs(cells: Map<string, string>, area: Range, inputs: readonly unknown[][]): void {
  for (const [down, row] of inputs.entries()) {
    for (const [across, input] of row.entries()) {
      if (input === null) continue;
      cells.set(`${area.row0 + down}:${area.column0 + across}`, inputText(input));
    }
  }
}

function clearArea(cells: Map<string, string>, area: Range): void {
  if (cellCount(area) > clearedMost) return;
  for (let row = area.row0; row <= area.row1; row++) {
    for (let column = area.column0; column <= area.column1; column++) {
      cells.set(`${row}:${column}`, '');
    }
  }
}
