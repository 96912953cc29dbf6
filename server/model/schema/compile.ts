import { z } from 'zod';

import { isObject } from '../plain-json.ts';
import { definitionOf, isOptional } from './definition.ts';
import { Walk } from './walk.ts';
import {
  describedAs,
  expectedName,
  issueText,
  needsObject,
  noneOf,
  notAmong,
  unknownMember,
  wrongType,
  type KnownMember,
} from './words.ts';

// Zod collects an issue for each item of a list and each member that it does not know: a body of
// megabytes then makes gigabytes of issues. So its schemas are walked here, part by part, and the
// walk stops at the twentieth fault. Zod judges what has no parts, and a list or object as a whole.

/** A check that reports the faults of a value to the walk. */
export type Check = (value: unknown, walk: Walk) => void;

const compiled = new WeakMap<z.core.$ZodType, Check>();

/** The faults of a value, at most twenty. None: it is what the schema takes. */
export function faultsOf(schema: z.ZodType, value: unknown, walk = new Walk()): Walk {
  checkOf(schema)(value, walk);
  return walk;
}

/** Fails for a schema that cannot be walked: to be found out at the start, and not by a body. */
export function checkOf(schema: z.core.$ZodType): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // A schema that holds itself finds this while it is being compiled.
  let check: Check = (value, walk) => made(value, walk);
  compiled.set(schema, check);
  const made = counted(compile(schema));
  check = made;
  compiled.set(schema, made);
  return check;
}

function counted(check: Check): Check {
  return (value, walk) => {
    walk.stepCount++;
    check(value, walk);
  };
}

function compile(schema: z.core.$ZodType): Check {
  const { type, innerType, getter } = definitionOf(schema);
  if (type === 'nullable') return absentCheck(schema, innerType, (value) => value === null);
  if (absentTypes.has(type)) return absentCheck(schema, innerType, (value) => value === undefined);
  if (leafTypes.has(type)) return leafCheck(schema);
  if (getter !== undefined) return checkOf(getter());
  return (compilers[type] ?? unwalkable)(schema);
}

const compilers: Readonly<Record<string, (schema: z.core.$ZodType) => Check>> = {
  array: listCheck,
  object: objectCheck,
  record: recordCheck,
  union: (schema) => {
    const { discriminator } = definitionOf(schema);
    return discriminator === undefined ? unionCheck(schema) : kindCheck(schema, discriminator);
  },
};

const absentTypes: ReadonlySet<string> = new Set('optional default prefault readonly'.split(' '));

/** Types without parts, and those that look at all of their value by hand and tell of one fault. */
const leafTypes: ReadonlySet<string> = new Set(
  'string number int boolean null literal enum unknown any'.split(' '),
);

function unwalkable(schema: z.core.$ZodType): never {
  const { type } = definitionOf(schema);
  throw new Error(`a body has a schema of the type ${type}, which cannot be walked`);
}

function absentCheck(
  outer: z.core.$ZodType,
  inner: z.ZodType | undefined,
  isAbsent: (value: unknown) => boolean,
): Check {
  if (inner === undefined) return unwalkable(outer);
  const about = aboutOf(outer);
  const isLeaf = about !== undefined && leafTypes.has(definitionOf(inner).type);
  const check = isLeaf ? leafCheck(inner, about) : checkOf(inner);
  return (value, walk) => {
    if (!isAbsent(value)) check(value, walk);
  };
}

function aboutOf(schema: z.core.$ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.description;
}

function leafCheck(schema: z.core.$ZodType, about = aboutOf(schema)): Check {
  return (value, walk) => {
    const result = z.core.safeParse(schema, value);
    if (result.success) return;
    for (const issue of result.error.issues) {
      walk.add(issue.code, issueText(issue, valueAt(value, issue.path), about), issue.path);
    }
  };
}

/** Finds the value of an issue below a value that is looked at by hand. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of path) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined;
  }
  return found;
}

/** Makes the check of a list or an object as a whole: its length, or a refinement. */
export function wholeCheckOf(schema: z.core.$ZodType): Check {
  const { checks = [] } = definitionOf(schema);
  if (checks.length === 0) return () => undefined;
  return leafCheck(new z.core.$ZodUnknown({ type: 'unknown', checks: [...checks] }));
}

function listCheck(schema: z.core.$ZodType): Check {
  const { element } = definitionOf(schema);
  if (element === undefined) return unwalkable(schema);
  const check = checkOf(element);
  const checkWhole = wholeCheckOf(schema);
  return (value, walk) => {
    if (!Array.isArray(value)) return walk.add('invalid_type', wrongType('a list', value));
    const { length } = walk.faults;
    checkWhole(value, walk);
    // A list that is too long is not read to its end as well.
    if (walk.faults.length === length) checkItems(check, value, walk);
  };
}

/** Checks items of a list from index `offset`, as a list may be checked in pieces. */
export function checkItems(check: Check, items: readonly unknown[], walk: Walk, offset = 0): void {
  const place = walk.path.push(offset) - 1;
  for (let index = 0; index < items.length && !walk.isFull; index++) {
    walk.path[place] = offset + index;
    check(items[index], walk);
  }
  walk.path.pop();
}

function objectCheck(schema: z.core.$ZodType): Check {
  const { shape = {}, catchall } = definitionOf(schema);
  const members = Object.entries(shape).map(([name, member]) => {
    return { name, check: checkOf(member), isRequired: !isOptional(member) };
  });
  const known: ReadonlyMap<string, unknown> = new Map(Object.entries(shape));
  const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never';
  const checkWhole = wholeCheckOf(schema);
  return (value, walk) => {
    if (!isObject(value)) return walk.add('invalid_type', needsObject(value, members, walk.kind));
    const { length } = walk.faults;
    if (isStrict) checkNames(value, { known, members, walk });
    for (const { name, check, isRequired } of members) {
      if (walk.isFull) return;
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member === undefined && !isRequired) continue;
      walk.path.push(name);
      check(member, walk);
      walk.path.pop();
    }
    if (walk.faults.length === length) checkWhole(value, walk);
  };
}

interface Names {
  readonly known: ReadonlyMap<string, unknown>;
  readonly members: readonly KnownMember[];
  readonly walk: Walk;
}

function checkNames(value: Readonly<Record<string, unknown>>, { known, members, walk }: Names) {
  for (const name in value) {
    if (known.has(name)) continue;
    walk.stepCount++;
    walk.add('unknown_member', unknownMember(name, members, walk.kind), [name]);
    if (walk.isFull) return;
  }
}

function recordCheck(schema: z.core.$ZodType): Check {
  const { keyType, valueType } = definitionOf(schema);
  if (keyType === undefined || valueType === undefined) return unwalkable(schema);
  const [checkKey, checkValue] = [checkOf(keyType), checkOf(valueType)];
  const checkWhole = wholeCheckOf(schema);
  return (value, walk) => {
    if (!isObject(value)) return walk.add('invalid_type', wrongType('an object', value));
    const { length } = walk.faults;
    for (const name in value) {
      if (walk.isFull) return;
      walk.path.push(name);
      checkKey(name, walk);
      checkValue(value[name], walk);
      walk.path.pop();
    }
    if (walk.faults.length === length) checkWhole(value, walk);
  };
}

/** A value that fits no option of a union is explained by the option it comes closest to. */
function unionCheck(schema: z.core.$ZodType): Check {
  const { options = [] } = definitionOf(schema);
  const checks = options.map((option) => checkOf(option));
  const plain = plainChecks(options);
  const names = options.flatMap((option) => namesOf(option));
  const about = aboutOf(schema);
  return (value, walk) => {
    const own = plain.get(typeof value);
    if (own !== undefined && passes(own, value, walk)) return;
    let closest: Walk | undefined;
    for (const check of checks) {
      const fork = walk.fork();
      check(value, fork);
      if (fork.faults.length === 0) {
        walk.stepCount += fork.stepCount;
        return;
      }
      walk.stepCount += fork.stepCount;
      fork.stepCount = 0;
      if (closest === undefined || fork.isCloserThan(closest)) closest = fork;
    }
    const isForeign = closest?.faults.every(({ depth }) => depth <= walk.path.length) ?? true;
    if (isForeign) walk.add('invalid_type', describedAs(noneOf(names, value), about));
    else if (closest !== undefined) walk.join(closest);
  };
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * The option for each plain type: looked at first, because Zod makes an error with its words for
 * each option that a value is not, and a list may have thousands of values.
 */
function plainChecks(options: readonly z.core.$ZodType[]): Map<string, Check> {
  const checks = new Map<string, Check>();
  for (const option of options) {
    const { type } = definitionOf(option);
    if (plainTypes.has(type) && !checks.has(type)) checks.set(type, checkOf(option));
  }
  return checks;
}

function passes(check: Check, value: unknown, walk: Walk): boolean {
  const fork = walk.fork();
  check(value, fork);
  if (fork.faults.length > 0) return false;
  walk.stepCount += fork.stepCount;
  return true;
}

/** Names the values that a schema takes: the options of a union each for itself. */
function namesOf(schema: z.core.$ZodType): string[] {
  const { type, options, innerType, values } = definitionOf(schema);
  if (options !== undefined) return options.flatMap((option) => namesOf(option));
  if (type === 'nullable' && innerType !== undefined) return [...namesOf(innerType), 'null'];
  if (innerType !== undefined) return namesOf(innerType);
  if (values !== undefined) return values.map((value) => JSON.stringify(value));
  const about = aboutOf(schema);
  return [type === 'unknown' && about !== undefined ? about : expectedName(type)];
}

/**
 * Makes the check of objects with a kind: only the alternative of that kind is checked and
 * reported.
 */
function kindCheck(schema: z.core.$ZodType, discriminator: string): Check {
  const { options = [] } = definitionOf(schema);
  const checks = new Map<unknown, Check>();
  for (const option of options) {
    const kind = definitionOf(option).shape?.[discriminator];
    for (const value of kind === undefined ? [] : valuesOf(kind))
      checks.set(value, checkOf(option));
  }
  const kinds = [...checks.keys()];
  return (value, walk) => {
    if (!isObject(value)) return walk.add('invalid_type', wrongType('an object', value));
    const kind = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined;
    const check = checks.get(kind);
    if (check === undefined) {
      return walk.add('invalid_value', notAmong(kinds, kind), [discriminator]);
    }
    walk.within(String(kind), () => check(value, walk));
  };
}

function valuesOf(schema: z.core.$ZodType): readonly unknown[] {
  return [...(schema._zod.values ?? [])];
}
