import type { TextRule } from '../../server/model/text-rule.ts';
import type { SyntaxKey } from './plain-value.ts';
import { JsonSource } from './json-source.ts';
import { MsgpackSource } from './msgpack-source.ts';

/** Where a value stands in a body, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface MemberSpan extends Span {
  readonly name: string;
}

export type BodyFormat = 'json' | 'msgpack';

/**
 * A body that is read in parts, so that what it holds need not all be in memory as objects: an
 * empty one of three bytes takes sixty as an object. Fails like any body that cannot be read.
 */
export interface BodySource {
  readonly key: SyntaxKey;
  readonly whole: Span;
  /** Values of all kinds in it, about: what it comes to as objects. */
  readonly valueCount: number;
  typeOf(span: Span): 'object' | 'list' | 'other';
  members(span: Span): Generator<MemberSpan, void>;
  items(span: Span): Generator<Span, void>;
  /** The value of a span. */
  value(span: Span): unknown;
  /** The values of items that follow one another, from the start of the first to the last's end. */
  values(span: Span): unknown[];
  /** The same as text of JSON; of items that follow one another as that of a list. */
  text(span: Span, isItems?: boolean): string;
}

export function openBody(bytes: Buffer, format: BodyFormat, rule: TextRule): BodySource {
  return format === 'json' ? new JsonSource(bytes, rule) : new MsgpackSource(bytes, rule);
}
