// Rows of the LAZY table.
export const LAZY_IF: u32 = 2;
export const LAZY_IFS: u32 = 3;
export const LAZY_IFERROR: u32 = 4;
export const LAZY_IFNA: u32 = 5;
export const LAZY_CHOOSE: u32 = 6;
export const LAZY_SWITCH: u32 = 7;
