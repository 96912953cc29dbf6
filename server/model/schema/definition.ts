import type { z } from 'zod';

/** Zod keeps what a schema is made of in its definition; these are the parts read here. */
interface Definition {
  readonly type: string;
  readonly catchall?: z.ZodType;
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly coerce?: boolean;
  readonly discriminator?: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly values?: readonly unknown[];
  readonly getter?: () => z.ZodType;
  readonly in?: z.ZodType;
}

export function definitionOf(schema: z.core.$ZodType): Definition {
  return schema._zod.def;
}

/** A member that may be left out. */
export function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined;
}

const changingTypes: ReadonlySet<string> = new Set(
  'default prefault catch pipe transform readonly'.split(' '),
);

/** The schemas that keep the value with all their parts, as many routes have the same ones. */
const keeping = new WeakSet<z.core.$ZodType>();

/**
 * Returns whether a schema gives back just the value it takes: no defaults, and no members that it
 * drops.
 */
export function keepsValue(schema: z.core.$ZodType): boolean {
  const seen = new Set<z.core.$ZodType>();
  const isKept = keepsPart(schema, seen);
  if (isKept) for (const one of seen) keeping.add(one);
  return isKept;
}

function keepsPart(schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): boolean {
  if (seen.has(schema) || keeping.has(schema)) return true;
  seen.add(schema);
  const definition = definitionOf(schema);
  const { type, catchall, checks = [], coerce, shape = {} } = definition;
  if (changingTypes.has(type) || coerce === true) return false;
  if (type === 'object' && catchall === undefined) return false;
  if (checks.some(({ _zod }) => _zod.def.check === 'overwrite')) return false;
  const { innerType, element, keyType, valueType, options = [], getter } = definition;
  const parts = [innerType, element, keyType, valueType, getter?.(), ...options];
  return [...parts, ...Object.values(shape)].every(
    (part) => part === undefined || keepsPart(part, seen),
  );
}
