/** What can be wrong with a thing that is stored. */
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
  readonly branchNo: number;
  /** The first operation that is in doubt. */
  readonly seq: number;
  readonly what: FaultKind;
  /** Key of an object below the workbook's prefix, or `postgres:<table>/<key>`. */
  readonly where: string;
  readonly hint: string;
}

/** Something stored that is not what was written; what comes after it is not looked at. */
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
