/** Kinds of faults that a stored thing can have. */
export const faultKinds = [
  'missing',
  'damaged',
  'misplaced',
  'broken_chain',
  'duplicate_id',
  'unplayable',
  'wrong_head',
  'wrong_fork',
  'wrong_entry',
  'wrong_snapshot',
  'wrong_commit',
  'wrong_statement',
  'not_logged',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FoundFault {
  /** Number of the branch; null for a fault of the transparency log itself. */
  readonly branchNo: number | null;
  /** The first operation that is in doubt. */
  readonly seq: number;
  readonly what: FaultKind;
  /**
   * Key of an object below the workbook's prefix, `postgres:<table>/<key>`, or `tlog/<path>` for a
   * file of the transparency log.
   */
  readonly where: string;
  readonly hint: string;
}

/** A stored thing that is not what was written; anything after it is not looked at. */
export class VerifyFault extends Error {
  readonly found: FoundFault;

  constructor(found: FoundFault) {
    super(`${found.where} is ${found.what}`);
    this.name = 'VerifyFault';
    this.found = found;
  }
}

/** A row as faults name it. */
export function rowPlace(table: string, ...key: readonly (number | string)[]): string {
  return ['postgres:' + table, ...key].join('/');
}
