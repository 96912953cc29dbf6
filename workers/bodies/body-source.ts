import type { TextRule } from '../../server/model/text-rule.ts';
import type { SyntaxKey } from './plain-value.ts';
import { JsonSource } from './json-source.ts';
import { MsgpackSource } from './msgpack-source.ts';

/** Position of a value in a body, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface MemberSpan extends Span {
  readonly name: string;
}

export type BodyFormat = 'json' | 'msgpack';

/**
 * A body that is read in parts, so that its content need not be in memory as objects: an empty
 * object takes three bytes in the body and sixty in memory. All methods fail like a body that
 * cannot be read.
 */
export interface BodySource {
  readonly key: SyntaxKey;
  readonly whole: Span;
  /**
   * Approximate number of values of all kinds, which tells how many objects the body would make.
   */
  readonly valueCount: number;
  typeOf(span: Span): 'object' | 'list' | 'other';
  members(span: Span): Generator<MemberSpan, void>;
  items(span: Span): Generator<Span, void>;
  /** Reads the value of a span. */
  value(span: Span): unknown;
  /**
   * Reads the values of consecutive items, from the start of the first one to the end of the last.
   */
  values(span: Span): unknown[];
  /** Returns the span as JSON; with `isItems`, consecutive items as a JSON list. */
  text(span: Span, isItems?: boolean): string;
}

export function openBody(bytes: Buffer, format: BodyFormat, rule: TextRule): BodySource {
  return format === 'json' ? new JsonSource(bytes, rule) : new MsgpackSource(bytes, rule);
}
