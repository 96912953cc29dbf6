import {
  OPERATOR_ADD,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_SUBTRACT,
} from '../formula/token';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { snapsToZero } from '../vm/operator';
import { SMALLEST_NUMBER } from '../vm/slot';
import { compared, raised } from './arithmetic';
import { Register, giveBuffer } from './register';

/**
 * Formulas that read their own column above, such as a running total. What does not depend on the
 * row above is computed over lanes; the rest is noted as steps, which are then done row by row. A
 * register whose value comes from steps has `isStepped`.
 */
@unmanaged
class Step {
  operator: u32 = 0;
  /** 1 if a difference of which only the last bits are left becomes zero. */
  snaps: u32 = 0;
  /** Operands: their addresses for the first row, and the bytes to the next row. */
  a: u32 = 0;
  aStep: u32 = 0;
  b: u32 = 0;
  bStep: u32 = 0;
  /**
   * Third operand of IF: `a` is the condition, `b` the value where it holds, `c` the value where it
   * does not.
   */
  c: u32 = 0;
  cStep: u32 = 0;
  /** Address of the result, the same for all rows. */
  out: u32 = 0;
}

/** IF among the operators. */
export const STEP_SELECT: u32 = 255;
const STEPS_MOST: u32 = 32;
const STEP_BYTES: u32 = 36;

let steps: usize = 0;
let stepCount: u32 = 0;

export function openSteps(): void {
  steps = scratch(STEPS_MOST * STEP_BYTES);
  stepCount = 0;
}

// Address and step of the last operand that was asked for.
let place: u32 = 0;
let stride: u32 = 0;

/** Copies an operand until the steps are done, because its register is reused before. */
function keepOperand(register: Register): void {
  place = register.lanes;
  stride = register.isStepped ? register.step : 8;
  if (register.isStepped) return;
  if (register.step) return giveBuffer(register);
  place = <u32>scratch(8);
  stride = 0;
  store<f64>(place, register.low);
}

/** Notes a step whose result becomes the value of `a`; returns false if there are too many. */
export function noteStep(operator: u32, snaps: bool, a: Register, b: Register, c: Register): bool {
  if (stepCount == STEPS_MOST) return false;
  const step = at<Step>(steps + <usize>stepCount * STEP_BYTES);
  stepCount++;
  step.operator = operator;
  step.snaps = snaps ? 1 : 0;
  keepOperand(b);
  step.b = place;
  step.bStep = stride;
  if (operator == STEP_SELECT) {
    keepOperand(c);
    step.c = place;
    step.cStep = stride;
  }
  keepOperand(a);
  step.a = place;
  step.aStep = stride;
  step.out = <u32>scratch(8);
  a.lanes = step.out;
  a.step = 0;
  a.isStepped = 1;
  a.hasBlank = 0;
  return true;
}

/**
 * Does the steps row by row and writes the values of `result` to `values`. Returns the number of
 * rows before the first that has no number.
 */
export function takeSteps(result: Register, values: usize, count: u32): u32 {
  for (let row: u32 = 0; row < count; row++) {
    for (let index: u32 = 0; index < stepCount; index++) {
      takeStep(at<Step>(steps + <usize>index * STEP_BYTES), row);
    }
    const value = load<f64>(<usize>result.lanes + <usize>(row * result.step));
    if (value - value != 0) return row;
    store<f64>(values + ((<usize>row) << 3), value);
  }
  return count;
}

function takeStep(step: Step, row: u32): void {
  const a = load<f64>(<usize>step.a + <usize>(row * step.aStep));
  const b = load<f64>(<usize>step.b + <usize>(row * step.bStep));
  let value: f64;
  switch (step.operator) {
    case OPERATOR_ADD:
      value = a + b;
      break;
    case OPERATOR_SUBTRACT:
      value = a - b;
      break;
    case OPERATOR_MULTIPLY:
      value = a * b;
      break;
    case OPERATOR_DIVIDE:
      // A division by a value that is not finite must not give zero.
      value = a / b + (b - b);
      break;
    case STEP_SELECT:
      // The chosen value stays as it is: minus zero and denormals are not replaced.
      if (a - a != 0) store<f64>(step.out, NaN);
      else store<f64>(step.out, a != 0 ? b : load<f64>(<usize>step.c + <usize>(row * step.cStep)));
      return;
    default:
      value = step.operator < OPERATOR_EQUAL ? raised(a, b) : compared(step.operator, a, b);
  }
  if (abs(value) < SMALLEST_NUMBER || (step.snaps && snapsToZero(a, b, value))) value = 0;
  store<f64>(step.out, value);
}
