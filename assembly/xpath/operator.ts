/** Operators of XPath. */
export const OPERATOR_OR: u32 = 1;
export const OPERATOR_AND: u32 = 2;
export const OPERATOR_EQUAL: u32 = 3;
export const OPERATOR_NOT_EQUAL: u32 = 4;
export const OPERATOR_LESS: u32 = 5;
export const OPERATOR_LESS_EQUAL: u32 = 6;
export const OPERATOR_GREATER: u32 = 7;
export const OPERATOR_GREATER_EQUAL: u32 = 8;
export const OPERATOR_ADD: u32 = 9;
export const OPERATOR_SUBTRACT: u32 = 10;
export const OPERATOR_MULTIPLY: u32 = 11;
export const OPERATOR_DIVIDE: u32 = 12;
export const OPERATOR_MODULO: u32 = 13;
export const OPERATOR_UNION: u32 = 14;
