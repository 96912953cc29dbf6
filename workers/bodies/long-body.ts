import { Failure } from '../../server/model/failure.ts';
import type { BodySource } from './body-source.ts';

/** A member of a body, or the body itself where it has no name. To be used before the next one. */
export interface LongPart {
  readonly name: string | undefined;
  readonly kind: 'list' | 'value';
  /** The items of a list, some at a time, each as the list that they make. */
  windows(): Generator<BodySource, void>;
  /** The value as a whole; fails where it is large. */
  value(): unknown;
  skip(): void;
}

/** A body that is read from its beginning, of which no more than a window is held. */
export interface LongBody {
  parts(): Generator<LongPart, void>;
}

/** Bytes of items that make a window. */
export const windowBytes = 512 * 1024;
/** The most that an item, or a member that is no list, may have. */
export const itemBytesMost = 8 * 1024 * 1024;

/** Returns the failure for a member that occurs twice. */
export function repeated(name: string): Failure {
  return new Failure('duplicateMember', {
    detail: `The body has the member ${name.slice(0, 100)} twice.`,
    hint: 'Give each member once.',
  });
}
