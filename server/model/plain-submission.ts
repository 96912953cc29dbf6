import { isWireInput } from './input.ts';
import { operationLimits as limits } from './operation-limits.ts';
import { isObject } from './plain-json.ts';

// Nearly all submissions are plain cells.set. Recognizing them costs a tenth of the schema, which
// checks the rest.

const addressLength = 128;
const sheetLength = 64;

/** Returns whether a body is certainly a submission that `submissionSchema` returns as it came. */
export function isPlainSubmission(value: unknown): boolean {
  if (!isObject(value)) return false;
  let ops: unknown;
  for (const name in value) {
    const member = value[name];
    if (name === 'ops') ops = member;
    else if (name !== 'writer' || !isText(member, 1, limits.writerLength)) return false;
  }
  return Array.isArray(ops) && ops.every(isPlainCellsSet);
}

function isPlainCellsSet(operation: unknown): boolean {
  if (!isObject(operation)) return false;
  let payload: unknown;
  for (const name in operation) {
    const member = operation[name];
    if (name === 'payload') payload = member;
    else if (name === 'id') {
      if (!isText(member, 1, limits.operationIdLength)) return false;
    } else if (name !== 'kind' || member !== 'cells.set') return false;
  }
  return operation['kind'] !== undefined && isObject(payload) && isPlainPayload(payload);
}

function isPlainPayload(payload: Readonly<Record<string, unknown>>): boolean {
  let cells: unknown;
  for (const name in payload) {
    const member = payload[name];
    if (name === 'cells') cells = member;
    else if (name !== 'sheet' || !isText(member, 1, sheetLength)) return false;
  }
  if (!Array.isArray(cells) || cells.length === 0) return false;
  return cells.length <= limits.cellsPerOperation && cells.every(isPlainCell);
}

function isPlainCell(cell: unknown): boolean {
  if (!isObject(cell)) return false;
  for (const name in cell) {
    const member = cell[name];
    if (name === 'input') {
      if (!isWireInput(member)) return false;
    } else if (name === 'fmt') {
      if (!isText(member, 0, limits.numberFormatLength)) return false;
    } else if (name !== 'a1' || !isText(member, 1, addressLength)) return false;
  }
  return cell['a1'] !== undefined;
}

function isText(value: unknown, least: number, most: number): boolean {
  return typeof value === 'string' && value.length >= least && value.length <= most;
}
