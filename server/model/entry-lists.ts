/** The lists of a diff, in the order in which a sheet's entries follow one another. */
export const entryLists = [
  'structure',
  'cells',
  'collapsed',
  'values',
  'formats',
  'names',
  'tables',
  'records',
  'properties',
  'settings',
  'styles',
  'policy',
] as const;

export type EntryList = (typeof entryLists)[number];
