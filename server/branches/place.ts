import { Failure } from '../model/failure.ts';
import {
  parseReference,
  referenceName,
  type BranchReference,
  type Reference,
} from '../model/reference.ts';
import type { BranchAddress } from './journal-store.ts';

/** A position that a request names, settled to one operation of one branch. */
export interface Place {
  readonly address: BranchAddress;
  readonly branch: string;
  readonly seq: number;
  /** The request said which operation; otherwise it is the head, and a newer one would do. */
  readonly isPinned: boolean;
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
