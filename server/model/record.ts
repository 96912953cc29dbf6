/** Things that lie on cells without being in them, and the beginning of the ids of each. */
export const recordIdPrefixes = {
  cellmerge: undefined,
  note: undefined,
  thread: 'th',
  validation: 'dv',
  cf: 'cf',
  filter: undefined,
  protection: 'p',
  hyperlink: undefined,
  image: 'im',
  chart: 'ch',
} as const;

export type RecordType = keyof typeof recordIdPrefixes;

/** Types whose records have ids of their own; those of the others are where they lie. */
export type NamedRecordType = {
  [Type in RecordType]: (typeof recordIdPrefixes)[Type] extends string ? Type : never;
}[RecordType];

export const recordTypes = Object.keys(recordIdPrefixes) as readonly RecordType[];

export function isRecordType(text: string): text is RecordType {
  return Object.hasOwn(recordIdPrefixes, text);
}
