import { Failure } from '../model/failure.ts';
import {
  parseReference,
  referenceName,
  type BranchReference,
  type Reference,
} from '../model/reference.ts';
import { settingsBranchNo } from '../model/policy.ts';
import { mainBranchNo } from '../workbooks/workbook.ts';
import type { BranchAddress } from './journal-store.ts';

/** A position that a request names, as one operation of one branch. */
export interface Place {
  readonly address: BranchAddress;
  readonly branch: string;
  readonly seq: number;
  /**
   * True if the request named the operation; otherwise it is the head, and a newer one would do.
   */
  readonly isPinned: boolean;
  /** True if the request named the branch by number, so that no other of its name will do. */
  readonly isExact?: boolean;
  /** Target position of an open merge, for the place of its outcome. */
  readonly onto?: Place;
}

/**
 * Makes the tag of a position for ETags and ids of events. It contains the number of the branch,
 * because a name may get another branch after a deletion; main is never deleted.
 */
export function positionTag(
  { address, branch }: Pick<Place, 'address' | 'branch'>,
  seq: number,
): string {
  return `${referenceName(branch, seq)}${incarnationOf(address)}`;
}

/** Returns the reference for requests of the rest of an answer. */
export function referenceTo(place: Place, seq: number): string {
  return place.onto ? place.branch : positionTag(place, seq);
}

/** Returns the part of a tag after the sequence. */
export function incarnationOf({ branchNo }: BranchAddress): string {
  return isForever(branchNo) ? '' : `:${branchNo}`;
}

/** Returns whether the reference of the request always has the same meaning. */
export function isLasting({ address, isPinned, isExact = false }: Place): boolean {
  return isPinned && (isExact || isForever(address.branchNo));
}

/** Returns whether the name of a branch can never be another's. */
export function isForever(branchNo: number): boolean {
  return branchNo === mainBranchNo || branchNo === settingsBranchNo;
}

/** Failure of a position on a deleted branch whose name another one has. */
export function madeAnew({ branch }: Pick<BranchReference, 'branch'>): Failure {
  return new Failure('refNotFound', {
    detail: `The branch ${branch} is not the one that the position is of: it was made anew.`,
    hint: `Read ref=${branch} for the branch that has this name now.`,
  });
}

/** Reads a reference; `pointer` is its place in the request. */
export function readReference(text: string, pointer = '?ref'): Reference {
  const reference = parseReference(text);
  if (reference !== undefined) return reference;
  throw new Failure('invalidReference', {
    detail: `"${text.slice(0, 100)}" does not name a position.`,
    hint: 'Write a branch, such as main, a position in it, such as main@42, commit:<tag> or merge:<id>.',
    errors: [{ pointer, code: 'invalid_reference', message: 'not a position' }],
  });
}

export function afterHead(branch: string, sequence: number, head: number): Failure {
  return new Failure('refNotFound', {
    detail: `${referenceName(branch, sequence)} lies after the head, which is ${referenceName(branch, head)}.`,
    hint: `Read ref=${branch} for the newest values.`,
    extra: { head },
  });
}

/** Reads a reference in a path below a branch. */
export function readPathReference(text: string): Reference {
  const reference = readReference(text, '/branch');
  return 'branch' in reference ? { ...reference, isPath: true } : reference;
}

export function noSuchBranch({ branch, isPath = false }: BranchReference): Failure {
  return new Failure(isPath ? 'branchNotFound' : 'refNotFound', {
    detail: `The workbook has no branch called ${branch}.`,
    hint: 'GET /v1/workbooks/{id}/branches lists them; the one that every workbook has is main.',
  });
}
