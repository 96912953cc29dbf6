import type { FileEnd } from './file-reader.ts';
import type { Operation } from './operation.ts';
import type { TextRule } from './text-rule.ts';

/** A body as it came, in pieces; they are gone from this thread once they are read. */
export interface RawBody {
  readonly chunks: readonly Uint8Array[];
  readonly format: 'json' | 'msgpack';
  readonly rule: TextRule;
  /** Signal that is aborted once nobody waits for the body. */
  readonly signal?: AbortSignal;
}

/** The content of a workbook that is to be created. */
export interface ReadCreation {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Names of the wanted sheets. */
  readonly sheets: readonly string[];
  readonly beginning: AsyncGenerator<readonly Operation[], FileEnd>;
}

/**
 * Reads bodies that are too large for the serving thread: it is never held for more than some
 * milliseconds at a time. Fails as a small body of the same faults does.
 */
export interface LargeBodies {
  /** Reads a body; a submission is validated by its schema. */
  read(body: RawBody, content: 'submission' | 'any'): Promise<unknown>;
  /** Reads a creation; its operations come as they are taken. */
  readCreation(body: RawBody): Promise<ReadCreation>;
}
