import { operationLimits as limits } from './operation-limits.ts';

/** The settings of a workbook that operations can change, and what they are until then. */
export const settingDefaults = {
  /** Year that day numbers count from: 1900 or, as files of old Macs, 1904. */
  dateSystem: 1900,
  /** True when circular formulas are computed again and again instead of being errors. */
  'iteration.enabled': false,
  /** Most rounds in which circular formulas are computed, and the change below which they end. */
  'iteration.maxCount': 100,
  'iteration.maxChange': 0.001,
  /** Time at which other spreadsheet programs calculate; Quire does so for each read. */
  calcMode: 'auto',
  locale: 'en-US',
  timezone: 'UTC',
  /** The twelve colours of the theme, as in .xlsx files: lt1 dk1 lt2 dk2, six accents, links. */
  'theme.colors':
    'FFFFFF 000000 E7E6E6 44546A 4472C4 ED7D31 A5A5A5 FFC000 5B9BD5 70AD47 0563C1 954F72',
  /** SHA-256 of what an import keeps of its file, for exports to give back: charts and pictures. */
  'file.parts': '',
  title: '',
  description: '',
  /** Sorted, each once. */
  labels: [] as readonly string[],
} as const;

export type SettingPath = keyof typeof settingDefaults;
export type SettingValue = number | boolean | string | readonly string[];

export const settingPaths = Object.keys(settingDefaults) as readonly SettingPath[];

const iterationsMost = 32_767;
const calcModes: readonly SettingValue[] = ['auto', 'autoNoTable', 'manual'];
const keptParts = /^(?:[0-9a-f]{64})?$/u;
const themeColors = /^[0-9A-F]{6}(?: [0-9A-F]{6}){11}$/u;
/**
 * Forms of a locale and of a time zone: a replay must not depend on the names that a version of ICU
 * knows.
 */
const locale = /^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/u;
const timezone = /^[A-Za-z][\w+-]{0,31}(?:\/[A-Za-z0-9_][\w+-]{0,31}){0,2}$/u;

export function isSettingPath(path: string): path is SettingPath {
  return Object.hasOwn(settingDefaults, path);
}

/** Explains why a setting cannot have a value; undefined when it can. */
export function settingFault(path: SettingPath, value: SettingValue): string | undefined {
  const { isFit, what } = rules[path];
  return isFit(value) ? undefined : `${path} is ${what}`;
}

interface Rule {
  readonly isFit: (value: SettingValue) => boolean;
  readonly what: string;
}

const rules: Readonly<Record<SettingPath, Rule>> = {
  dateSystem: { isFit: (value) => value === 1900 || value === 1904, what: '1900 or 1904' },
  'iteration.enabled': { isFit: (value) => typeof value === 'boolean', what: 'true or false' },
  'iteration.maxCount': {
    isFit: (value) => Number.isInteger(value) && isWithin(value, 1, iterationsMost),
    what: `a whole number from 1 to ${iterationsMost}`,
  },
  'iteration.maxChange': {
    isFit: (value) => isWithin(value, 0, 1e9),
    what: 'a number from 0 to 1000000000',
  },
  calcMode: { isFit: (value) => calcModes.includes(value), what: 'auto, autoNoTable or manual' },
  locale: { isFit: (value) => matches(value, locale), what: 'a language tag such as de-AT' },
  timezone: { isFit: (value) => matches(value, timezone), what: 'a name such as Europe/Vienna' },
  'theme.colors': {
    isFit: (value) => matches(value, themeColors),
    what: 'twelve colours such as 4472C4, a blank between two',
  },
  'file.parts': {
    isFit: (value) => matches(value, keptParts),
    what: 'what an import has set, or an empty text to let go of it',
  },
  title: textUpTo(limits.titleLength),
  description: textUpTo(limits.commentLength),
  labels: { isFit: Array.isArray, what: 'a list of texts: send props.set' },
};

/** Returns whether two values of a setting are the same. */
export function sameSetting(a: SettingValue, b: SettingValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function isWithin(value: SettingValue, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

function matches(value: SettingValue, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function textUpTo(most: number): Rule {
  return {
    isFit: (value) => typeof value === 'string' && value.length <= most,
    what: `a text of at most ${most} characters`,
  };
}
