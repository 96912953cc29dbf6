import { z } from 'zod';

import {
  checkItems,
  checkOf,
  wholeCheckOf,
  type Check,
} from '../../server/model/schema/compile.ts';
import { definitionOf, isOptional } from '../../server/model/schema/definition.ts';
import type { Fault, Walk } from '../../server/model/schema/walk.ts';
import { notAmong, unknownMember } from '../../server/model/schema/words.ts';
import { pointerOf } from '../../server/model/pointer.ts';
import type { BodySource, MemberSpan, Span } from './body-source.ts';

/**
 * Bytes of a body that are parsed at a time. While they are checked, empty objects take twenty
 * times as much memory.
 */
const sliceBytes = 128 * 1024;

/** Checks a body of any size against its schema, with no more than a slice of it in memory. */
export function checkSpans(
  schema: z.core.$ZodType,
  source: BodySource,
  walk: Walk,
  most = sliceBytes,
): void {
  new SpanCheck(source, walk, most).check(schema, source.whole);
}

/**
 * Yields consecutive items in slices of about `most` bytes; a larger item is a slice of its own.
 */
export function* slices(source: BodySource, list: Span, most = sliceBytes): Generator<Slice> {
  let slice: Slice | undefined;
  for (const { start, end } of source.items(list)) {
    if (slice !== undefined && end - slice.start <= most) {
      slice = { ...slice, end, count: slice.count + 1 };
      continue;
    }
    if (slice !== undefined) yield slice;
    slice = { start, end, index: slice === undefined ? 0 : slice.index + slice.count, count: 1 };
  }
  if (slice !== undefined) yield slice;
}

export interface Slice extends Span {
  /** Index of the slice's first item in the list. */
  readonly index: number;
  readonly count: number;
}

/** Limit for lists whose schema has none. */
const countedMost = 2_000_000;

/** Returns the number of items that a list may have by its schema. */
function mostItems(schema: z.core.$ZodType): number {
  for (const { _zod } of definitionOf(schema).checks ?? []) {
    const { check } = _zod.def;
    if (check === 'max_length') return (_zod.def as z.core.$ZodCheckMaxLengthDef).maximum;
  }
  return Infinity;
}

class SpanCheck {
  readonly #source: BodySource;
  readonly #walk: Walk;
  /** Bytes of a slice. */
  readonly #most: number;

  constructor(source: BodySource, walk: Walk, most: number) {
    this.#source = source;
    this.#walk = walk;
    this.#most = most;
  }

  check(schema: z.core.$ZodType, span: Span): void {
    if (this.#walk.isFull) return;
    if (span.end - span.start <= this.#most) return this.#checkValue(schema, span);
    const { type, innerType, getter } = definitionOf(schema);
    const inner = innerType ?? getter?.();
    const kind = this.#source.typeOf(span);
    if (inner !== undefined) this.check(inner, span);
    else if (type === 'union') this.#checkUnion(schema, span);
    else if (kind === kindTaken(schema)) this.#checkParts(schema, span);
    else this.#checkForeign(schema, span);
  }

  #checkUnion(schema: z.core.$ZodType, span: Span): void {
    const { discriminator } = definitionOf(schema);
    const isObject = this.#source.typeOf(span) === 'object';
    if (isObject && discriminator !== undefined) this.#checkKind(schema, discriminator, span);
    else this.#checkOptions(schema, span);
  }

  #checkParts(schema: z.core.$ZodType, span: Span): void {
    switch (definitionOf(schema).type) {
      case 'array':
        return this.#checkList(schema, span);
      case 'object':
        return this.#checkObject(schema, span);
      case 'record':
        return this.#checkRecord(schema, span);
      default:
        return this.#checkByHand(schema, span);
    }
  }

  #checkValue(schema: z.core.$ZodType, span: Span): void {
    checkOf(schema)(this.#source.value(span), this.#walk);
  }

  #checkList(schema: z.core.$ZodType, span: Span): void {
    const { element = schema } = definitionOf(schema);
    const { length } = this.#walk.faults;
    let count = 0;
    const countMost = mostItems(schema);
    for (const slice of slices(this.#source, span, this.#most)) {
      count = slice.index + slice.count;
      if (this.#walk.isFull) return;
      // Items beyond the limit are only counted.
      if (count > countMost) continue;
      if (slice.count === 1) this.#checkItem(element, slice);
      else this.#checkSlice(checkOf(element), slice);
    }
    if (this.#walk.faults.length > length) return;
    // All items are valid, so only the length is still to be checked.
    const items: unknown[] = [];
    items.length = Math.min(count, countedMost);
    wholeCheckOf(schema)(items, this.#walk);
  }

  #checkItem(element: z.core.$ZodType, slice: Slice): void {
    this.#walk.path.push(slice.index);
    this.check(element, slice);
    this.#walk.path.pop();
  }

  #checkSlice(check: Check, slice: Slice): void {
    checkItems(check, this.#source.values(slice), this.#walk, slice.index);
  }

  #checkObject(schema: z.core.$ZodType, span: Span): void {
    const { shape = {}, catchall } = definitionOf(schema);
    const members = Object.entries(shape);
    const known = members.map(([name, member]) => ({ name, isRequired: !isOptional(member) }));
    const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never';
    const seen = new Set<string>();
    for (const member of this.#source.members(span)) {
      const { name } = member;
      const part = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (part === undefined && !isStrict) continue;
      seen.add(name);
      if (part === undefined) {
        this.#walk.add('unknown_member', unknownMember(name, known, this.#walk.kind), [name]);
      } else this.#checkMember(part, member);
      if (this.#walk.isFull) return;
    }
    for (const { name, isRequired } of known) {
      if (isRequired && !seen.has(name)) this.#checkMissing(shape[name], name);
    }
  }

  #checkMember(schema: z.ZodType, { name, ...span }: MemberSpan): void {
    this.#walk.path.push(name);
    this.check(schema, span);
    this.#walk.path.pop();
  }

  #checkMissing(schema: z.ZodType | undefined, name: string): void {
    if (schema === undefined) return;
    this.#walk.path.push(name);
    checkOf(schema)(undefined, this.#walk);
    this.#walk.path.pop();
  }

  /** Finds the member that names the kind first, because it may be the last one in the body. */
  #checkKind(schema: z.core.$ZodType, discriminator: string, span: Span): void {
    const { options = [] } = definitionOf(schema);
    const kinds = new Map<unknown, z.ZodType>();
    for (const option of options) {
      const kind = definitionOf(option).shape?.[discriminator];
      for (const value of kind?._zod.values ?? []) kinds.set(value, option);
    }
    const kind = this.#kindOf(discriminator, span);
    const option = kinds.get(kind);
    if (option !== undefined) this.#walk.within(String(kind), () => this.check(option, span));
    else this.#walk.add('invalid_value', notAmong([...kinds.keys()], kind), [discriminator]);
  }

  #kindOf(discriminator: string, span: Span): unknown {
    for (const { name, start, end } of this.#source.members(span)) {
      if (name === discriminator && end - start <= Math.max(sliceBytes, this.#most)) {
        return this.#source.value({ start, end });
      }
    }
    return undefined;
  }

  /**
   * Checks a union as zod would check its value: the reported faults are those of the option that
   * fits best.
   */
  #checkOptions(schema: z.core.$ZodType, span: Span): void {
    const { options = [] } = definitionOf(schema);
    let closest: Walk | undefined;
    for (const option of options) {
      const fork = this.#walk.fork();
      new SpanCheck(this.#source, fork, this.#most).check(option, span);
      if (fork.faults.length === 0) return;
      if (closest === undefined || fork.isCloserThan(closest)) closest = fork;
    }
    if (closest !== undefined) this.#walk.join(closest);
  }

  #checkRecord(schema: z.core.$ZodType, span: Span): void {
    const { keyType, valueType, checks = [] } = definitionOf(schema);
    const { faults, path } = this.#walk;
    const { length } = faults;
    for (const member of this.#source.members(span)) {
      if (this.#walk.isFull) return;
      path.push(member.name);
      if (keyType !== undefined) checkOf(keyType)(member.name, this.#walk);
      if (valueType !== undefined) this.check(valueType, member);
      path.pop();
    }
    if (faults.length === length && checks.length > 0) this.#checkValue(schema, span);
  }

  /**
   * Checks a list whose schema has a check of its own, slice by slice, so that a refusal takes no
   * longer than one slice.
   */
  #checkByHand(schema: z.core.$ZodType, span: Span): void {
    const check = checkOf(schema);
    for (const slice of slices(this.#source, span, this.#most)) {
      const fork = this.#walk.fork();
      check(this.#source.values(slice), fork);
      const [fault] = fork.faults;
      if (fault === undefined) continue;
      this.#walk.addFault(shifted(fault, pointerOf(this.#walk.path), slice.index));
      return;
    }
    this.#checkValue(schema, span);
  }

  /** Checks a value of a wrong type, or an endless text, without reading its content. */
  #checkForeign(schema: z.core.$ZodType, span: Span): void {
    const kind = this.#source.typeOf(span);
    const value = kind === 'other' ? this.#source.value(span) : kind === 'list' ? [] : {};
    checkOf(schema)(value, this.#walk);
  }
}

/**
 * Returns the structured type that a schema takes. A list with a check of its own says so in its
 * meta.
 */
function kindTaken(schema: z.core.$ZodType): 'list' | 'object' | undefined {
  const { type } = definitionOf(schema);
  if (type === 'object' || type === 'record') return 'object';
  const isByHand = type === 'unknown' && z.globalRegistry.get(schema)?.['type'] === 'array';
  return type === 'array' || isByHand ? 'list' : undefined;
}

/** Turns a fault of an item in a slice into one of the whole list. */
function shifted(fault: Fault, list: string, index: number): Fault {
  const [, item, below = ''] = /^\/(\d+)(.*)$/su.exec(fault.pointer.slice(list.length)) ?? [];
  if (item === undefined) return fault;
  return { ...fault, pointer: `${list}/${Number(item) + index}${below}` };
}
