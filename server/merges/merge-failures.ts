import { Failure } from '../model/failure.ts';
import type { BranchNames } from './branch-names.ts';
import type { Position } from './graph.ts';
import type { MergeRecord } from './merge-record.ts';

export function mergeNotFound(workbookId: string, id: string): Failure {
  return new Failure('mergeNotFound', {
    detail: `The workbook has no merge ${id}.`,
    hint: `GET /v1/workbooks/${workbookId}/merges lists them.`,
  });
}

export function closed({ workbookId, id, state }: MergeRecord): Failure {
  return new Failure('mergeClosed', {
    detail: `The merge ${id} is ${state}.`,
    hint: `Propose a new one: POST /v1/workbooks/${workbookId}/merges.`,
    extra: { state },
  });
}

export function notApplied({ workbookId, id, state }: MergeRecord): Failure {
  return new Failure('nothingToMerge', {
    detail: `The merge ${id} is ${state}: it has done nothing that could be taken back.`,
    hint: `GET /v1/workbooks/${workbookId}/merges lists those that are merged.`,
  });
}

/** Failure of a decision on an older revision, `seen`. */
export function staleRevision({ workbookId, id }: MergeRecord, seen: number): Failure {
  return new Failure('staleRevision', {
    detail: `The merge ${id} is not at revision ${seen} any more, or never was.`,
    hint: `GET /v1/workbooks/${workbookId}/merges/${id} and decide anew.`,
  });
}

export function reservedBranch(): Failure {
  return new Failure('forbidden', {
    detail: 'The settings are not merged.',
    hint: 'Merge branches of the workbook, such as main.',
  });
}

export function nothingToMerge(names: BranchNames, source: Position, target: Position): Failure {
  const [from, to] = [names.position(source), names.position(target)];
  return new Failure('nothingToMerge', {
    detail: `${to.branch}@${to.seq} holds all of ${from.branch}@${from.seq}.`,
    hint: 'Write to the source first, or name another one.',
  });
}
