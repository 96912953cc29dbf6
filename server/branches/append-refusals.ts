import { Failure } from '../model/failure.ts';
import type { BranchAddress, BranchRow } from './journal-store.ts';
import { noSuchBranch } from './place.ts';

export function unreadable(cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'The journal cannot be read right now.',
    hint: 'Send the same request again.',
    headers: { 'Retry-After': '1' },
    cause,
  });
}

export function contended(): Failure {
  return new Failure('unavailable', {
    detail: 'Other nodes write to this branch so fast that these operations found no place.',
    hint: 'Send the same operations again, with the same ids.',
    headers: { 'Retry-After': '1' },
  });
}

export function archived(
  { workbookId }: BranchAddress,
  row: Pick<BranchRow, 'name' | 'isArchivedWithWorkbook' | 'isDeleted'>,
): Failure {
  const { name, isArchivedWithWorkbook, isDeleted = false } = row;
  if (isDeleted) return noSuchBranch({ branch: name, sequence: undefined, isPath: true });
  if (!isArchivedWithWorkbook) {
    const branch = encodeURIComponent(name);
    return new Failure('branchArchived', {
      detail: `The branch ${name} is archived, and only read.`,
      hint: `POST /v1/workbooks/${workbookId}/branches/${branch}/restore makes it writable again.`,
    });
  }
  return new Failure('workbookArchived', {
    hint: `POST /v1/workbooks/${workbookId}/restore makes it writable again.`,
  });
}
