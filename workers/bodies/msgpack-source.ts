import { isUtf8 } from 'node:buffer';

import { Unpackr } from 'msgpackr';

import { Failure } from '../../server/model/failure.ts';
import { bodyLimits } from '../../server/model/limits.ts';
import type { TextRule } from '../../server/model/text-rule.ts';
import type { BodySource, MemberSpan, Span } from './body-source.ts';
import {
  broken,
  checkInteger,
  cutOff,
  headAt,
  textStart,
  typesHint,
  type Head,
  type Kind,
} from './msgpack-head.ts';
import { checkTexts, countPlain, tooDeep } from './plain-value.ts';

// Records and shared structures are an extension of msgpackr; clients send plain msgpack.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/**
 * Called while values are walked: with the number of parts of a list or map, and with each leaf.
 */
interface See {
  parts(count: number, kind: Kind): void;
  leaf?(start: number, end: number): void;
}

/** Texts of fewer bytes are checked in a loop, which is faster than `isUtf8`. */
const shortTextBytes = 32;

/**
 * msgpack with plain types only: at most 32 levels deep, no repeated member, every length within
 * the body, texts in UTF-8, no integer that JavaScript would change.
 */
export class MsgpackSource implements BodySource {
  readonly key = 'invalidMsgpack';
  readonly whole: Span;
  readonly valueCount: number;
  readonly #bytes: Buffer;
  readonly #rule: TextRule;

  constructor(bytes: Buffer, rule: TextRule) {
    this.#bytes = bytes;
    this.#rule = rule;
    // All of it is walked first, so that no length claims more than there is.
    let valueCount = 1;
    const end = this.#skip(0, 1, {
      parts: (count) => (valueCount += count),
      leaf: (leafStart, leafEnd) => this.#checkLeaf(leafStart, leafEnd),
    });
    this.valueCount = valueCount;
    if (end !== bytes.length) throw broken('There is something after the value.');
    this.whole = { start: 0, end };
  }

  typeOf({ start }: Span): Kind {
    return this.#head(start).kind;
  }

  *members({ start }: Span): Generator<MemberSpan, void> {
    const seen = new Set<string>();
    const { count, end } = this.#head(start);
    let offset = end;
    for (let index = 0; index < count; index++) {
      const nameEnd = this.#skip(offset, 1);
      const name = this.value({ start: offset, end: nameEnd });
      if (typeof name !== 'string') throw broken('The name of a member is not a text.');
      if (seen.has(name)) throw repeated();
      seen.add(name);
      const valueEnd = this.#skip(nameEnd, 1);
      yield { name, start: nameEnd, end: valueEnd };
      offset = valueEnd;
    }
  }

  *items({ start }: Span): Generator<Span, void> {
    const { count, end } = this.#head(start);
    let offset = end;
    for (let index = 0; index < count; index++) {
      const itemEnd = this.#skip(offset, 1);
      yield { start: offset, end: itemEnd };
      offset = itemEnd;
    }
  }

  value({ start, end }: Span): unknown {
    return this.#checked(() => unpackr.unpack(this.#bytes.subarray(start, end)) as unknown, start);
  }

  values({ start, end }: Span): unknown[] {
    const values: unknown[] = [];
    for (let offset = start; offset < end;) {
      const itemEnd = this.#skip(offset, 1);
      values.push(this.value({ start: offset, end: itemEnd }));
      offset = itemEnd;
    }
    return values;
  }

  text(span: Span, isItems = false): string {
    return JSON.stringify(isItems ? this.values(span) : this.value(span));
  }

  #checked(unpack: () => unknown, start: number): unknown {
    let value: unknown;
    try {
      value = unpack();
    } catch (cause) {
      throw new Failure('invalidMsgpack', { hint: typesHint, cause });
    }
    const memberCount = countPlain(value, 'invalidMsgpack');
    // The last of equal members wins, so the object has fewer members than announced.
    if (memberCount !== this.#memberCount(start)) throw repeated();
    checkTexts(value, this.#rule);
    return value;
  }

  #memberCount(start: number): number {
    let memberCount = 0;
    this.#skip(start, 1, {
      parts: (count, kind) => (memberCount += kind === 'object' ? count / 2 : 0),
    });
    return memberCount;
  }

  #checkLeaf(start: number, end: number): void {
    const text = textStart(this.#bytes, start);
    if (text === undefined) checkInteger(this.#bytes, start);
    else if (!this.#isUtf8(text, end)) throw broken('A text of the body is not UTF-8.');
  }

  #isUtf8(start: number, end: number): boolean {
    const bytes = this.#bytes;
    if (end - start < shortTextBytes) {
      let at = start;
      while (at < end && (bytes[at] ?? 0) < 0x80) at++;
      if (at === end) return true;
    }
    return isUtf8(bytes.subarray(start, end));
  }

  /** Returns the end of the value that begins here. */
  #skip(start: number, depth: number, see?: See): number {
    const { kind, count, end } = this.#head(start);
    if (kind === 'other') {
      see?.leaf?.(start, end);
      return end;
    }
    if (depth > bodyLimits.depth) throw tooDeep('invalidMsgpack');
    const parts = kind === 'object' ? 2 * count : count;
    see?.parts(parts, kind);
    // Each part has at least one byte.
    if (end + parts > this.#bytes.length) throw cutOff();
    let offset = end;
    for (let index = 0; index < parts; index++) {
      offset = this.#skip(offset, depth + 1, see);
    }
    return offset;
  }

  #head(start: number): Head {
    const head = headAt(this.#bytes, start);
    if (!head || head.end > this.#bytes.length) throw cutOff();
    return head;
  }
}

function repeated(): Failure {
  return new Failure('duplicateMember', {
    detail: 'An object of the body has a member twice.',
    hint: 'Give each member once.',
  });
}
