import { readdirSync, readFileSync } from 'node:fs';

import { parseAddress } from '../../server/model/address.ts';
import { errorCodes, type ErrorCode, type Input } from '../../server/model/cell-value.ts';

/** One line of a golden file: a formula and what it gives. */
export interface GoldenCase {
  /** `file:line`, to be found again. */
  readonly where: string;
  readonly formula: string;
  /** As JSON gives it, errors as their names; rows for an array. */
  readonly expected: unknown;
  /** Cells of the sheet, from the last `cells` line. */
  readonly cells: readonly GoldenCell[];
}

export interface GoldenCell {
  readonly row: number;
  readonly column: number;
  readonly input: Input;
}

const folder = new URL('../../../test/golden/', import.meta.url);
const assignment =
  /([A-Z]{1,3}\d+)=(=[^"\s]*(?:"[^"]*"[^"\s]*)*|"(?:[^"\\]|\\.)*"|TRUE|FALSE|#\S+|-?[\d.]+(?:[eE][+-]?\d+)?)(?=\s|$)/gu;

export function goldenFiles(): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.txt'));
}

export function* readGolden(file: string): Generator<GoldenCase> {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
  let cells: readonly GoldenCell[] = [];
  for (const [index, line] of lines.entries()) {
    const where = `${file}:${index + 1}`;
    if (line.startsWith('cells')) cells = readCells(line, where);
    else if (line.startsWith('=')) yield { ...readCase(line, where), where, cells };
  }
}

function readCase(line: string, where: string): { formula: string; expected: unknown } {
  const [formula, result, ...more] = line.split('\t');
  if (formula === undefined || result === undefined || more.length > 0) {
    throw new Error(`${where}: a line is a formula, a tab, and its value`);
  }
  if (isError(result)) return { formula, expected: { error: result } };
  return { formula, expected: withErrors(JSON.parse(result)) };
}

/** Errors in arrays are written as strings; no case means the text "#N/A" there. */
function withErrors(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const rows = value as unknown[][];
  return rows.map((row) => row.map((item) => (isError(item) ? { error: item } : item)));
}

function isError(value: unknown): value is ErrorCode {
  return (errorCodes as readonly unknown[]).includes(value);
}

function readCells(line: string, where: string): GoldenCell[] {
  const text = line.slice('cells'.length);
  const found = [...text.matchAll(assignment)];
  const rest = text.replaceAll(assignment, '').trim();
  if (rest !== '') throw new Error(`${where}: cannot read ${rest}`);
  return found.map(([, name = '', value = '']) => {
    const address = parseAddress(name);
    if (address === undefined) throw new Error(`${where}: ${name} is no cell`);
    return { ...address, input: readInputText(value) };
  });
}

function readInputText(text: string): Input {
  if (text.startsWith('=')) return { formula: text };
  if (isError(text)) return { error: text };
  if (text === 'TRUE' || text === 'FALSE') return text === 'TRUE';
  return JSON.parse(text) as Input;
}
