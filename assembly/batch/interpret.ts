import { KIND_NUMBER, KIND_STRING } from '../abi';
import { Template } from '../formula/template';
import {
  OPERATOR_CONCATENATE,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_MULTIPLY,
  RECORD_BYTES,
} from '../formula/token';
import { LAZY_IF } from '../functions/logical/lazy-modes';
import { Run, constantsAt } from '../graph/run';
import { SHEET_THERE } from '../grid/model';
import { Name, resolveName } from '../grid/name';
import { Column, Sheet } from '../grid/sheet';
import { at } from '../memory/pointer';
import {
  OP_BINARY,
  OP_BINARY_SNAP,
  OP_BOOLEAN,
  OP_CALL,
  OP_CELL,
  OP_CONSTANT,
  OP_END,
  OP_FIXED,
  OP_IMPLICIT,
  OP_KEEP,
  OP_LAZY,
  OP_NAME,
  OP_NEGATE,
  OP_PERCENT,
  OP_PLUS,
  OP_REFERENCE,
} from '../vm/opcode';
import { kindOf, numberOf, wordOf } from '../vm/slot';
import { combineLanes, selectLanes, snapLanes } from './arithmetic';
import { callOverLanes } from './call';
import { loadRegister } from './cells';
import { areReferencesKnown } from './eligible';
import { STEP_SELECT, noteStep, openSteps } from './recurrence';
import {
  LANES_BOOLEAN,
  LANES_NUMBER,
  LANES_REFERENCE,
  LANES_TEXT,
  Register,
  canPush,
  depth,
  keepRegisters,
  laneCount,
  openRegisters,
  ownLanes,
  pushRegister,
  registerAt,
  resultBytes,
  resultLanes,
  setResult,
  setUniform,
  spareRegister,
} from './register';

/**
 * The batch interpreter runs the code of a template once for many rows of a run. It supports fewer
 * operations and kinds than the scalar machine (vm/machine.ts), which is the reference: a batch
 * gives the same bits, or leaves a lane, or all lanes, to that machine.
 */
let codeBase: usize = 0;
let recordsBase: usize = 0;
let run: usize = 0;
let firstRow: u32 = 0;

/**
 * Evaluates rows of a run into the first register; returns false to leave them to the scalar
 * machine. `openCells` has to be called before.
 */
export function interpret(address: usize, row: u32, count: u32): bool {
  const template = at<Template>(at<Run>(address).template);
  run = address;
  firstRow = row;
  codeBase = template.code;
  recordsBase = template.references;
  openRegisters(count);
  openSteps();
  return runLanes(0) && loadRegister(registerAt(0));
}

/** Runs code from a word to its end; the last register then has its value. */
function runLanes(start: u32): bool {
  let place = codeBase + ((<usize>start) << 2);
  let isKnown: bool = true;
  while (isKnown) {
    const word = load<u32>(place);
    place += 4;
    const operand = word >> 8;
    switch (word & 255) {
      case OP_END:
        return true;
      case OP_CELL:
        isKnown = pushRecord(operand) && loadRegister(registerAt(depth - 1));
        break;
      case OP_CALL:
        isKnown = callOverLanes(load<u32>(place), operand);
        place += 4;
        break;
      case OP_LAZY:
        isKnown = load<u32>(place) == LAZY_IF && choose(place + 8, operand);
        place = codeBase + ((<usize>load<u32>(place, 4)) << 2);
        break;
      case OP_NAME:
        isKnown = pushNamed(load<u32>(place));
        place += 4;
        break;
      case OP_FIXED:
        place += 4;
        break;
      default:
        isKnown = runOne(word & 255, operand);
    }
  }
  return false;
}

function runOne(operation: u32, operand: u32): bool {
  switch (operation) {
    case OP_CONSTANT:
      return pushConstant(operand);
    case OP_REFERENCE:
      return pushRecord(operand);
    case OP_BINARY:
      return binary(operand, false);
    case OP_BINARY_SNAP:
      return binary(operand, true);
    case OP_NEGATE:
    case OP_PERCENT:
      return unary(operation);
    case OP_BOOLEAN:
      if (!canPush()) return false;
      setUniform(pushRegister(), <f64>operand);
      registerAt(depth - 1).type = LANES_BOOLEAN;
      return true;
    case OP_KEEP:
      return true;
    // Both operators leave a reference to one cell as it is; a batch has no other operand for them.
    case OP_PLUS:
    case OP_IMPLICIT:
      return loadRegister(registerAt(depth - 1));
    default:
      return false;
  }
}

/** Pushes a reference, whose cells are read when they are needed. */
function pushRecord(index: u32): bool {
  if (!canPush()) return false;
  const register = pushRegister();
  register.type = LANES_REFERENCE;
  register.record = <u32>recordsBase + index * RECORD_BYTES;
  return true;
}

/** Pushes a name that stands for a cell, a range or a literal. */
function pushNamed(address: usize): bool {
  const sheet = at<Column>(at<Run>(run).column).sheet;
  const scope = <usize>at<Name>(address).scope;
  if (!canPush() || (scope && at<Sheet>(scope).state != SHEET_THERE)) return false;
  const name = at<Name>(resolveName(address, sheet));
  if (!name.template) return false;
  const template = at<Template>(name.template);
  const word = load<u32>(template.code);
  if ((load<u32>(template.code, 4) & 255) != OP_END || !areReferencesKnown(template)) return false;
  const register = pushRegister();
  const operand = word >> 8;
  switch (word & 255) {
    case OP_CELL:
    case OP_REFERENCE:
      register.type = LANES_REFERENCE;
      register.record = template.references + operand * RECORD_BYTES;
      return true;
    case OP_CONSTANT:
      return setLiteral(register, name.constants + (operand << 4));
    default:
      return false;
  }
}

/** Sets all lanes to a literal; returns false if its kind has no lanes. */
function setLiteral(register: Register, place: usize): bool {
  const kind = kindOf(place);
  if (kind != KIND_NUMBER && kind != KIND_STRING) return false;
  register.type = kind == KIND_NUMBER ? LANES_NUMBER : LANES_TEXT;
  setUniform(register, literalOf(place, kind));
  return true;
}

/** Pushes a literal: one for all rows, or one for each row. */
function pushConstant(index: u32): bool {
  if (!canPush()) return false;
  const register = pushRegister();
  const literals = at<Run>(run);
  const place = constantsAt(literals, firstRow) + ((<usize>index) << 4);
  const kind = kindOf(place);
  if (!setLiteral(register, place)) return false;
  if (!literals.constantRows) return true;
  const bytes = (<usize>at<Template>(literals.template).constantCount) << 4;
  const out = ownLanes(register);
  for (let lane: u32 = 0; lane < laneCount; lane++) {
    const literal = place + <usize>lane * bytes;
    if (kindOf(literal) != kind) return false;
    store<f64>(out + ((<usize>lane) << 3), literalOf(literal, kind));
  }
  return true;
}

function literalOf(place: usize, kind: u32): f64 {
  return kind == KIND_NUMBER ? numberOf(place) : reinterpret<f64>(<u64>wordOf(place));
}

/** Applies an operator to the last two registers; the result is in the first of them. */
function binary(operator: u32, snaps: bool): bool {
  const left = registerAt(depth - 2);
  const right = registerAt(depth - 1);
  if (!loadRegister(left) || !loadRegister(right)) return false;
  const compares = operator >= OPERATOR_EQUAL;
  if (operator == OPERATOR_CONCATENATE || left.type == LANES_TEXT) return false;
  // A comparison of a boolean with a number, or of a blank cell with either, is left to the scalar
  // machine.
  if (right.type == LANES_TEXT || (compares && left.type != right.type)) return false;
  const isSnapped = snaps && left.type == LANES_NUMBER && right.type == LANES_NUMBER;
  keepRegisters(depth - 1);
  return combine(operator, isSnapped, left, right, compares ? LANES_BOOLEAN : LANES_NUMBER);
}

/** Applies a sign or a percent sign: -x is x * -1 and x% is x / 100. */
function unary(operation: u32): bool {
  const register = registerAt(depth - 1);
  if (!loadRegister(register) || register.type == LANES_TEXT) return false;
  const negates = operation == OP_NEGATE;
  const other = spareRegister();
  setUniform(other, negates ? -1 : 100);
  const operator = negates ? OPERATOR_MULTIPLY : OPERATOR_DIVIDE;
  return combine(operator, false, register, other, LANES_NUMBER);
}

/** Applies an operator to two loaded registers; the result is in the first of them. */
function combine(operator: u32, snaps: bool, left: Register, right: Register, type: u32): bool {
  if (left.isStepped || right.isStepped) {
    left.type = type;
    return noteStep(operator, snaps, left, right, right);
  }
  const isUniform = !left.step && !right.step;
  const bytes = resultBytes(isUniform);
  const out = resultLanes(left, isUniform);
  if (snaps) {
    // The operands are needed once more, so the difference goes to a spare register first.
    const sums = <usize>spareRegister().buffer;
    combineLanes(operator, left.lanes, left.step, right.lanes, right.step, sums, sums + bytes);
    snapLanes(left.lanes, left.step, right.lanes, right.step, sums, out, out + bytes);
  } else {
    combineLanes(operator, left.lanes, left.step, right.lanes, right.step, out, out + bytes);
  }
  setResult(left, isUniform, type);
  return true;
}

/** IF(condition, then, [else]) with both of them computed for all lanes. */
function choose(offsets: usize, count: u32): bool {
  const first = depth;
  for (let index: u32 = 0; index < count; index++) {
    if (!runLanes(load<u32>(offsets + ((<usize>index) << 2)))) return false;
    if (!loadRegister(registerAt(depth - 1))) return false;
  }
  if (count < 3) {
    if (!canPush()) return false;
    setUniform(pushRegister(), 0);
    registerAt(depth - 1).type = LANES_BOOLEAN;
  }
  const condition = registerAt(first);
  const then = registerAt(first + 1);
  const otherwise = registerAt(first + 2);
  if (condition.type == LANES_TEXT || then.type != otherwise.type) return false;
  keepRegisters(first + 1);
  if (condition.isStepped || then.isStepped || otherwise.isStepped) {
    condition.type = then.type;
    return noteStep(STEP_SELECT, false, condition, then, otherwise);
  }
  const isUniform = !condition.step && !then.step && !otherwise.step;
  const out = resultLanes(condition, isUniform);
  const end = out + resultBytes(isUniform);
  selectLanes(condition, then, otherwise, out, end);
  setResult(condition, isUniform, then.type);
  condition.hasBlank = then.hasBlank | otherwise.hasBlank;
  return true;
}
