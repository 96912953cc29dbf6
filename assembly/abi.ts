// Numbers that kernel and host agree on. Must remain portable: plain constants, no types.

// Kinds of a value: in machine slots, in cell tags (the low four bits) and in read results.
export const KIND_BLANK = 0;
export const KIND_NUMBER = 1;
export const KIND_STRING = 2;
export const KIND_BOOLEAN = 3;
export const KIND_ERROR = 4;
export const KIND_ARRAY = 5;
export const KIND_REFERENCE = 6;
export const KIND_LAMBDA = 7;
/** An argument left empty between commas; not the same as a blank cell. */
export const KIND_OMITTED = 8;
export const KIND_MASK = 15;

// Flags of a cell tag.
/** The cell holds a formula; its run knows which. */
export const CELL_FORMULA = 16;
/** The value came from the array of a neighbouring formula. */
export const CELL_SPILLED = 32;
/** The value is out of date and must be computed before anyone reads it. */
export const CELL_PENDING = 64;
/** The cell's formula answers an array that fills its neighbours too. */
export const CELL_ANCHOR = 128;

// Error values, in the order of model/cell-value.ts errorCodes.
export const ERROR_NULL = 0;
export const ERROR_DIVISION = 1;
export const ERROR_VALUE = 2;
export const ERROR_REFERENCE = 3;
export const ERROR_NAME = 4;
export const ERROR_NUMBER = 5;
export const ERROR_NOT_AVAILABLE = 6;
export const ERROR_GETTING_DATA = 7;
export const ERROR_SPILL = 8;
export const ERROR_CALCULATION = 9;
export const ERROR_FIELD = 10;
export const ERROR_BLOCKED = 11;
export const ERROR_CIRCULAR = 12;

// Commands of a mutation buffer (workers/encode.ts writes them, assembly/commands.ts reads them).
export const COMMAND_SHEET_ADD = 1;
export const COMMAND_SHEET_DELETE = 2;
export const COMMAND_SHEET_RENAME = 3;
export const COMMAND_SHEET_MOVE = 4;
export const COMMAND_CELL = 5;
export const COMMAND_FILL = 6;
export const COMMAND_REMAP = 7;
export const COMMAND_NAME_SET = 8;
export const COMMAND_NAME_DELETE = 9;
export const COMMAND_TABLE_SET = 11;
export const COMMAND_SETTING = 12;
export const COMMAND_BLOCK = 13;
export const COMMAND_ROWS_HIDDEN = 14;
export const COMMAND_MERGES = 15;
export const COMMAND_END = 0;

// Kinds of an input inside COMMAND_CELL and COMMAND_FILL.
export const INPUT_BLANK = 0;
export const INPUT_NUMBER = 1;
export const INPUT_STRING = 2;
export const INPUT_BOOLEAN = 3;
export const INPUT_ERROR = 4;
export const INPUT_FORMULA = 5;
/** A legacy scalar formula: ranges intersect with the formula's own row or column. */
export const INPUT_FORMULA_LEGACY = 6;
/** A legacy array formula over a fixed range that follows the text. */
export const INPUT_FORMULA_ARRAY = 7;
/** In COMMAND_BLOCK: the cell stays as it is. */
export const INPUT_SKIP = 8;

// Operations of COMMAND_REMAP.
export const REMAP_INSERT = 0;
export const REMAP_DELETE = 1;
export const REMAP_MOVE = 2;
/** Several spans at once: how many, and from and count of each, from the first line on. */
export const REMAP_DELETE_SPANS = 3;
export const AXIS_ROWS = 0;
export const AXIS_COLUMNS = 1;

// States of a row in COMMAND_ROWS_HIDDEN.
export const ROWS_SHOWN = 0;
export const ROWS_HIDDEN_BY_HAND = 1;
export const ROWS_HIDDEN_BY_FILTER = 2;

// Settings of COMMAND_SETTING.
export const SETTING_DATE_1904 = 1;
/**
 * Iterative calculation of cycles: on (1) or off (0), rounds at most, and the change below which
 * the rounds end.
 */
export const SETTING_ITERATE = 2;
export const SETTING_ITERATIONS = 3;
export const SETTING_ITERATION_CHANGE = 4;

// Limits of the grid and of a formula (Excel's, see "Excel specifications and limits").
export const ROW_LIMIT = 1048576;
export const COLUMN_LIMIT = 16384;
export const FORMULA_LENGTH_LIMIT = 8192;
export const TEXT_LENGTH_LIMIT = 32767;
export const ARGUMENT_LIMIT = 255;
export const NESTING_LIMIT = 64;
/** Rows of one column that are stored, evaluated and hashed together. */
export const CHUNK_ROWS = 1024;

// Status codes that the kernel's exported calls return.
export const STATUS_OK = 0;
/** The text is no formula; `problemAddress` and `problemAt` say why and where. */
export const STATUS_BAD_FORMULA = 1;
/** Work is left: call `recalculate` again. */
export const STATUS_MORE = 4;
/** The buffer holds a command the kernel does not know, or is cut off. */
export const STATUS_BAD_COMMAND = 5;
/** The bytes are no packed segment, or one without operations. */
export const STATUS_BAD_SEGMENT = 6;

/** Length of the key from which the nonces of operations are derived. */
export const NONCE_KEY_BYTES = 32;

// Figures that `statistic` answers.
export const STATISTIC_FORMULA_CELLS = 0;
export const STATISTIC_CELLS = 1;
export const STATISTIC_TEMPLATES = 2;
export const STATISTIC_RUNS = 3;
export const STATISTIC_BYTES_USED = 4;
export const STATISTIC_EVALUATED = 5;
export const STATISTIC_CIRCULAR = 6;
export const STATISTIC_MEMORY_BYTES = 7;
/** Cells that the batch interpreter computed; STATISTIC_EVALUATED counts them too. */
export const STATISTIC_BATCHED = 8;
/** Number of entries looked at in hash tables, by all calls so far. */
export const STATISTIC_PROBES = 9;
/** Steps of fuel of the last recalculation, or of marking by the last `apply`. */
export const STATISTIC_STEPS = 10;
/** Above 0 when `apply` ran out of steps before all dependents were marked. */
export const STATISTIC_UNMARKED = 11;

// Lenses of a read.
export const LENS_VALUE = 0;
export const LENS_FORMULA = 1;
export const LENS_INPUT = 2;

// Which changes `readChanges` answers.
/** All cells whose value changed by calculation. */
export const CHANGES_COMPUTED = 0;
/** Cells whose value changed by calculation to an error. */
export const CHANGES_ERRORS = 1;
/** All cells whose value changed, including those that were written to. */
export const CHANGES_ALL = 2;

// Kinds of operand in a parsed reference (FormulaReference.flags).
export const REFERENCE_ROW0_ABSOLUTE = 1;
export const REFERENCE_COLUMN0_ABSOLUTE = 2;
export const REFERENCE_ROW1_ABSOLUTE = 4;
export const REFERENCE_COLUMN1_ABSOLUTE = 8;
export const REFERENCE_WHOLE_COLUMNS = 16;
export const REFERENCE_WHOLE_ROWS = 32;
export const REFERENCE_SINGLE = 64;
