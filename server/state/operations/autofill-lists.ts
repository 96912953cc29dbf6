/** Lists that a series repeats without end, in US English. */
const lists = {
  weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  shortWeekdays: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  shortMonths: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  months: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
} as const satisfies Record<string, readonly string[]>;

export type ListName = keyof typeof lists;

export interface ListEntry {
  readonly list: ListName;
  readonly index: number;
}

const names = Object.keys(lists) as ListName[];

/** Finds a word in the lists, regardless of case: May is in both lists of months. */
export function findInLists(text: string): ListEntry[] {
  const wanted = text.toLowerCase();
  return names.flatMap((list) => {
    const index = lists[list].findIndex((word) => word.toLowerCase() === wanted);
    return index < 0 ? [] : [{ list, index }];
  });
}

/** The entry at an index, which may go round the list many times, in the case of a sample. */
export function listWord(list: ListName, index: number, sample: string): string {
  const words = lists[list];
  const word = words[modulo(index, words.length)] ?? '';
  if (sample === sample.toLowerCase()) return word.toLowerCase();
  return sample === sample.toUpperCase() ? word.toUpperCase() : word;
}

export function listLength(list: ListName): number {
  return lists[list].length;
}

export function modulo(number: number, by: number): number {
  return ((number % by) + by) % by;
}

/** A text with a number that counts up, and what stands around it. */
export interface CountedText {
  readonly before: string;
  readonly number: number;
  readonly after: string;
  /** Number of digits, with leading zeros; 0 for as many as needed. */
  readonly width: number;
  readonly isOrdinal: boolean;
  /** Number at which counting starts again: 4 for quarters of a year. */
  readonly round: number | undefined;
}

const atEnd = /^(.*?)(\d{1,15})$/su;
const ordinal = /^(\d{1,15})(st|nd|rd|th)(?![\p{L}\p{N}])(.*)$/isu;

/**
 * Reads a text that counts, such as `Item 9`, `A007`, `Q4` or `1st place`; undefined for any other.
 */
export function readCounted(text: string): CountedText | undefined {
  const end = atEnd.exec(text);
  if (end) {
    const [, before = '', digits = ''] = end;
    const number = Number(digits);
    const isQuarter = /^(?:q|qtr|quarter)\s*$/iu.test(before) && number >= 1 && number <= 4;
    const width = digits.startsWith('0') ? digits.length : 0;
    const round = isQuarter && width === 0 ? 4 : undefined;
    return { before, number, after: '', width, isOrdinal: false, round };
  }
  const start = ordinal.exec(text);
  if (!start) return undefined;
  const [, digits = '', , after = ''] = start;
  const number = Number(digits);
  return { before: '', number, after, width: 0, isOrdinal: true, round: undefined };
}

/** Returns the text with another number; below zero Excel counts up again. */
export function countedText(
  { before, after, width, isOrdinal, round }: CountedText,
  number: number,
): string {
  const count = round === undefined ? Math.abs(number) : modulo(number - 1, round) + 1;
  const digits = String(count).padStart(width, '0');
  return before + digits + (isOrdinal ? suffix(count) : '') + after;
}

function suffix(count: number): string {
  const tens = count % 100;
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][count % 10] ?? 'th';
}
