import { ERROR_NAME, ERROR_REFERENCE } from '../abi';
import { Template } from '../formula/template';
import { TABLE_DATA } from '../formula/token';
import { FAMILY_LAZY, FunctionRecord, findFunction } from '../functions/function-record';
import { SHEET_THERE } from '../grid/model';
import { Name, Table, findTable, resolveName } from '../grid/name';
import { Sheet } from '../grid/sheet';
import { at } from '../memory/pointer';
import { TEXT_HEADER, lengthOf } from '../memory/text';
import { answer, argumentCount, failure, firstArgument, reopenCall } from './call';
import { formulaSheet } from './context';
import { setFunction } from './lambda';
import {
  codeBase,
  constantsBase,
  enterCode,
  frame,
  recordsBase,
  run,
  setTop,
  top,
} from './machine';
import { OP_CELL, OP_END } from './opcode';
import { pushRecord } from './record';
import { pushTablePart } from './record-table';
import { SLOT_BYTES, copySlot, setError } from './slot';

/** Pushes what a name stands for, computed in the place of the cell that uses it. */
export function pushName(address: usize): void {
  const base = top;
  const scope = <usize>at<Name>(address).scope;
  if (scope && at<Sheet>(scope).state != SHEET_THERE) {
    setError(base, ERROR_REFERENCE);
    return setTop(base + SLOT_BYTES);
  }
  const name = at<Name>(resolveName(address, formulaSheet));
  if (!name.template) {
    pushUndefined(name.text, base);
    return setTop(base + SLOT_BYTES);
  }
  const template = at<Template>(name.template);
  const first = load<u32>(template.code);
  // A name of one cell is a reference, of which OFFSET(name, …) and name:B2 make use.
  if ((first & 255) == OP_CELL && (load<u32>(template.code, 4) & 255) == OP_END) {
    pushRecord(template.references, first >> 8, base);
    return setTop(base + SLOT_BYTES);
  }
  const code = codeBase;
  const records = recordsBase;
  const constants = constantsBase;
  const locals = frame;
  enterCode(template.code, template.references, name.constants, base);
  setTop(base + ((<usize>template.localCount) << 4));
  run(0);
  copySlot(base, top - SLOT_BYTES);
  setTop(base + SLOT_BYTES);
  enterCode(code, records, constants, locals);
}

/** A word that no one defined may be a table (its data), or a function: `BYROW(A1:B9,SUM)`. */
function pushUndefined(text: usize, slot: usize): void {
  const table = findTable(text);
  // A dropped table is still listed, without columns.
  if (table && at<Table>(table).columns) return pushTablePart(table, TABLE_DATA, slot);
  const function_ = findFunction(text + TEXT_HEADER, lengthOf(text));
  if (function_ && at<FunctionRecord>(function_).id >> 16 != FAMILY_LAZY) {
    return setFunction(function_, slot);
  }
  setError(slot, ERROR_NAME);
}

/** Puts the value of a name into a slot; for functions that find a name by its text. */
export function valueOfName(address: usize, slot: usize): void {
  const first = firstArgument;
  const count = argumentCount;
  const into = answer;
  const failedWith = failure;
  pushName(address);
  setTop(top - SLOT_BYTES);
  copySlot(slot, top);
  reopenCall(first, count, into, failedWith);
}
