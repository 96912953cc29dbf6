import type { PortableFailure } from '../../model/portable-failure.ts';
import type { RowsFormat, RowsOptions } from '../../model/row-writes.ts';
import type { RowsWritten } from '../writing/run.ts';

export const writeStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type WriteStatus = (typeof writeStatuses)[number];

/** A body of rows, with its format and the principal who writes it. */
export interface RowWriteRequest {
  readonly options: RowsOptions;
  readonly format: RowsFormat;
  readonly delimiter?: string | undefined;
  readonly writer: string;
  readonly expectedHead?: number | undefined;
  /** Key that replaces missing ids of operations. */
  readonly idempotencyKey: string;
  readonly body: {
    readonly id: string;
    readonly byteCount: number;
    readonly pieceCount: number;
    readonly isPacked: boolean;
  };
}

export interface RowWriteRecord {
  readonly id: string;
  readonly workbookId: string;
  readonly branch: string;
  readonly branchNo: number;
  readonly tableId: string;
  readonly createdBy: string;
  readonly ownerId: string;
  readonly request: RowWriteRequest;
  readonly status: WriteStatus;
  readonly attempts: number;
  /** Number of processed rows and bytes, which never decreases. */
  readonly rowCount: number;
  readonly byteCount: number;
  readonly result: RowsWritten | null;
  readonly error: PortableFailure | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export function hasEnded({ status }: Pick<RowWriteRecord, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

export const rowWriteLimits = {
  unfinishedPerAccount: 20,
  /** Most attempts, of which each may end with the process. */
  attempts: 5,
  retentionDays: 7,
} as const;
