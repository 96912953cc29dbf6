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

/** A position that a request names, settled to one operation of one branch. */
export interface Place {
  readonly address: BranchAddress;
  readonly branch: string;
  readonly seq: number;
  /** The request said which operation; otherwise it is the head, and a newer one would do. */
  readonly isPinned: boolean;
  /** The request said by its number which branch, so that no other one of its name will do. */
  readonly isExact?: boolean;
  /** The position that an open merge is proposed to; only the place of what it comes to has one. */
  readonly onto?: Place;
}

/**
 * The tag of a position for ETags and ids of events. A name may belong to another branch once its
 * branch was deleted, so the tag has the number of the branch as well; main is never deleted.
 */
export function positionTag(
  { address, branch }: Pick<Place, 'address' | 'branch'>,
  seq: number,
): string {
  return `${referenceName(branch, seq)}${incarnationOf(address)}`;
}

/** Returns the reference with which the rest of an answer is asked for. */
export function referenceTo(place: Place, seq: number): string {
  return place.onto ? place.branch : positionTag(place, seq);
}

/** Returns the part of a tag behind the sequence. */
export function incarnationOf({ branchNo }: BranchAddress): string {
  return isForever(branchNo) ? '' : `:${branchNo}`;
}

/** Returns whether the reference of the request will always mean what it means now. */
export function isLasting({ address, isPinned, isExact = false }: Place): boolean {
  return isPinned && (isExact || isForever(address.branchNo));
}

/** Returns whether the name of a branch can never be that of another one. */
export function isForever(branchNo: number): boolean {
  return branchNo === mainBranchNo || branchNo === settingsBranchNo;
}

/** The failure where a position names a branch that was deleted, and whose name another one has. */
export function madeAnew({ branch }: Pick<BranchReference, 'branch'>): Failure {
  return new Failure('refNotFound', {
    detail: `The branch ${branch} is not the one that the position is of: it was made anew.`,
    hint: `Read ref=${branch} for the branch that has this name now.`,
  });
}

/** `pointer` tells where the request has it. */
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

/** Reads a reference as `readReference` does, in a path that goes through the branch. */
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
