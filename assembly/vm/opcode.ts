// Instructions of a template's code: one word each, the operation in the low byte and a number
// above it; some have further words.

export const OP_END = 0;
/** Push constant n. */
export const OP_CONSTANT = 1;
export const OP_BOOLEAN = 2;
export const OP_ERROR = 3;
/** Push an argument left empty. */
export const OP_OMITTED = 4;
/** Push the value of the one cell that record n names. */
export const OP_CELL = 5;
/** Push record n as a reference. */
export const OP_REFERENCE = 6;
/** Two operands; n is an OPERATOR_* number; the snapping ones round a final difference to zero. */
export const OP_BINARY = 7;
export const OP_BINARY_SNAP = 8;
export const OP_NEGATE = 9;
export const OP_PERCENT = 10;
/** `+x`: the value itself, but no reference any more. */
export const OP_PLUS = 11;
export const OP_RANGE = 12;
export const OP_UNION = 13;
export const OP_INTERSECT = 14;
/** `@x`, and what legacy formulas do to ranges in scalar places. */
export const OP_IMPLICIT = 15;
/** `A1#`. */
export const OP_SPILLED = 16;
/** Call function n2 (next word) with n arguments. */
export const OP_CALL = 17;
/** Call lazy function: n arguments, then function, then words to skip, then an offset each. */
export const OP_LAZY = 18;
/** Array literal: n rows, then columns, then first constant. */
export const OP_ARRAY = 19;
/** Push what the name at address (next word) stands for. */
export const OP_NAME = 20;
/** Push local n. */
export const OP_LOCAL = 21;
/** Pop into local n. */
export const OP_SET_LOCAL = 22;
/**
 * Push a lambda: n parameters (vm/lambda.ts), then captures, slots, where the captures stand, where
 * the code goes on.
 */
export const OP_LAMBDA = 23;
/** Call the lambda below n arguments. */
export const OP_INVOKE = 24;
/** Answer a call with a wrong number of arguments; n of them are dropped. */
export const OP_MISCALL = 25;
/**
 * Take the remembered value of what follows and go on at word n, or compute it; then its literals
 * (formula/fixed-call.ts).
 */
export const OP_FIXED = 26;
/** Remember the value for the OP_FIXED at word n. */
export const OP_KEEP = 27;
