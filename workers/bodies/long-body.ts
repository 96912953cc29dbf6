import { Failure } from '../../server/model/failure.ts';
import type { BodySource } from './body-source.ts';

/** A member of a body, or the body itself, which has no name. Valid until the next one is read. */
export interface LongPart {
  readonly name: string | undefined;
  readonly kind: 'list' | 'value';
  /** Yields the items of a list, some at a time, each time as a list. */
  windows(): Generator<BodySource, void>;
  /** Returns the whole value; fails if it is large. */
  value(): unknown;
  skip(): void;
}

/** A body that is read from start to end, with one window of it in memory. */
export interface LongBody {
  parts(): Generator<LongPart, void>;
}

/** Bytes of items in a window. */
export const windowBytes = 512 * 1024;
/** Most bytes of an item, or of a member that is no list. */
export const itemBytesMost = 8 * 1024 * 1024;

/** Returns the failure for a member that occurs twice. */
export function repeated(name: string): Failure {
  return new Failure('duplicateMember', {
    detail: `The body has the member ${name.slice(0, 100)} twice.`,
    hint: 'Give each member once.',
  });
}
