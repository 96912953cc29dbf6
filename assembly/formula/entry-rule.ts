/** Rules for the formula text that is lexed and parsed next. */

/**
 * A person enters the text: it has at most 8,192 characters and 255 in a text of its own, gives a
 * function as many arguments as it takes, and no name twice in one LET or LAMBDA. What a file or a
 * journal holds is read without these rules.
 */
export let isEntered: bool = false;
/**
 * True when a wrong number of arguments makes a text no formula. Excel does not let such a formula
 * be entered, but files hold some: those are kept, and come to #N/A as in other spreadsheets.
 */
export let countsStrictly: bool = false;
/** Numbers keep the digits beyond the fifteenth, as stored texts always did. */
export let keepsDigits: bool = false;

export function setEntryRules(entered: bool, strictCounts: bool): void {
  isEntered = entered;
  countsStrictly = strictCounts;
}

/** The text is that of a defined name, whose relative references wrap around the grid. */
export let isOfName: bool = false;

export function setOfName(ofName: bool): void {
  isOfName = ofName;
}

export function keepDigits(areKept: bool): void {
  keepsDigits = areKept;
}
