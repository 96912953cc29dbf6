import { openBody, type BodyFormat } from '../../workers/bodies/body-source.ts';
import type { TextRule } from '../model/text-rule.ts';

/** Reads a body that came from outside, all of it at once. */
export function decode(bytes: Buffer, format: BodyFormat, rule: TextRule): unknown {
  const source = openBody(bytes, format, rule);
  return source.value(source.whole);
}
