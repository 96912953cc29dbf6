import { Problem, type Service } from '../service.ts';
import type { TableView, Written } from './table.ts';

/** The ways to follow a write that takes longer, and to end it. */
export interface Progress {
  readonly signal: AbortSignal;
  readonly onProgress: (told: string) => void;
}

interface Sending extends Progress {
  readonly book: string;
  readonly branch: string;
  readonly table: TableView;
  readonly file: File;
  readonly mode: string;
}

/** A write that goes on in the background (docs/api.md "Tables"). */
interface RowWrite {
  readonly poll: string;
  readonly status: string;
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly result: Written | null;
  readonly error: Readonly<Record<string, unknown>> | null;
}

const pollMs = 500;

/** Sends a file of rows, and waits for a write in the background. */
export async function sendRows(service: Service, sending: Sending): Promise<Written> {
  const { book, branch, table, file, mode, signal } = sending;
  const query = new URLSearchParams({ mode, onInvalid: 'skip' });
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/tables/${table.id}`;
  const isLines = /\.(?:nd)?jsonl?$/u.test(file.name);
  const type = isLines ? 'application/x-ndjson' : 'text/csv';
  const blob = new Blob([file], { type });
  const answer = await service.ask<Written | RowWrite>(`${path}/rows?${query}`, {
    file: blob,
    signal,
  });
  return 'poll' in answer ? follow(service, answer, sending) : answer;
}

async function follow(
  service: Service,
  begun: RowWrite,
  { signal, onProgress }: Progress,
): Promise<Written> {
  let write = begun;
  while (write.result === null && write.error === null) {
    const share = write.totalBytes === 0 ? 0 : write.bytes / write.totalBytes;
    onProgress(`${write.rows.toLocaleString()} rows, ${Math.floor(share * 100)} %`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (signal.aborted) {
      await service.ask(write.poll, { method: 'DELETE' });
      throw signal.reason;
    }
    write = await service.ask<RowWrite>(write.poll);
    if (write.status === 'cancelled') throw new Error('The write was cancelled.');
  }
  if (write.error) throw new Problem(Number(write.error['status'] ?? 500), write.error);
  if (!write.result) throw new Error('The write has ended without a result.');
  return write.result;
}
