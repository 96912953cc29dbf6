/** Rules for the formula text that is lexed and parsed next. */

/**
 * True for a text that a person enters: it has at most 8,192 characters and 255 in each literal
 * text, the right number of arguments for each function, and no name twice in one LET or LAMBDA.
 * Texts of files and journals are read without these rules.
 */
export let isEntered: bool = false;
/**
 * True when a wrong number of arguments makes a text no formula. Excel does not let such a formula
 * be entered, but files hold some: those are kept, and give #N/A as in other spreadsheets. /
 */
export let countsStrictly: bool = false;
/** True to keep the digits of numbers beyond the fifteenth, as stored texts do. */
export let keepsDigits: bool = false;

export function setEntryRules(entered: bool, strictCounts: bool): void {
  isEntered = entered;
  countsStrictly = strictCounts;
}

/** True for the text of a defined name, whose relative references wrap around the grid. */
export let isOfName: bool = false;

export function setOfName(ofName: bool): void {
  isOfName = ofName;
}

export function keepDigits(areKept: bool): void {
  keepsDigits = areKept;
}
