/** The settings of a workbook that operations can change, and what they are until then. */
export const settingDefaults = {
  /** Year that day numbers count from: 1900 or, as files of old Macs, 1904. */
  dateSystem: 1900,
  /** Whether circular formulas are computed again and again instead of being errors. */
  'iteration.enabled': false,
  locale: 'en-US',
  timezone: 'UTC',
  title: '',
  description: '',
} as const;

export type SettingPath = keyof typeof settingDefaults;
export type SettingValue = number | boolean | string;

export const settingPaths = Object.keys(settingDefaults) as readonly SettingPath[];

const titleLength = 255;
const descriptionLength = 1_024;
/** Both by their form alone: a replay must not depend on what a version of ICU knows. */
const locale = /^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/u;
const timezone = /^[A-Za-z][\w+-]{0,31}(?:\/[A-Za-z0-9_][\w+-]{0,31}){0,2}$/u;

export function isSettingPath(path: string): path is SettingPath {
  return Object.hasOwn(settingDefaults, path);
}

/** Why a setting cannot have this value; undefined when it can. */
export function settingFault(path: SettingPath, value: SettingValue): string | undefined {
  switch (path) {
    case 'dateSystem':
      return value === 1900 || value === 1904 ? undefined : 'dateSystem is 1900 or 1904';
    case 'iteration.enabled':
      return typeof value === 'boolean' ? undefined : 'iteration.enabled is true or false';
    case 'locale':
      return matches(value, locale) ? undefined : 'locale is a language tag such as de-AT';
    case 'timezone':
      return matches(value, timezone) ? undefined : 'timezone is a name such as Europe/Vienna';
    case 'title':
      return isTextUpTo(value, titleLength, path);
    case 'description':
      return isTextUpTo(value, descriptionLength, path);
  }
}

function matches(value: SettingValue, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isTextUpTo(value: SettingValue, most: number, path: string): string | undefined {
  if (typeof value === 'string' && value.length <= most) return undefined;
  return `${path} is a text of at most ${most} characters`;
}
