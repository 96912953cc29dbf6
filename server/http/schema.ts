import { z } from 'zod';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { definitionOf } from '../model/schema/definition.ts';

/** Zod types that change the value, for which a yes or no about the input is not enough. */
const changingTypes: ReadonlySet<string> = new Set(
  'default prefault catch pipe transform custom readonly'.split(' '),
);
/** Zod checks that JSON Schema cannot express. */
const silentChecks: ReadonlySet<string> = new Set(['custom', 'overwrite', 'property']);

/** Returns whether a value fits a schema. */
export type QuickCheck = (value: unknown) => boolean;

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  discriminator: true,
  allErrors: false,
});

/** Compiled checks by schema; undefined for schemas that cannot be compiled. */
const compiled = new WeakMap<z.ZodType, { readonly check: QuickCheck | undefined }>();

/**
 * Returns the compiled check of a schema, compiling it on first use; undefined when only zod can
 * judge it.
 */
export function quickCheckOf(schema: z.ZodType): QuickCheck | undefined {
  let known = compiled.get(schema);
  if (known === undefined) {
    known = { check: compile(schema) };
    compiled.set(schema, known);
  }
  return known.check;
}

function compile(schema: z.ZodType): QuickCheck | undefined {
  const faults: string[] = [];
  const jsonSchema = toJsonSchema(schema, (part, partSchema) => {
    const definition = definitionOf(part);
    const silent = definition.checks?.some(({ _zod }) => silentChecks.has(_zod.def.check));
    if (silent === true || changingTypes.has(definition.type)) faults.push(definition.type);
    if (partSchema.format !== undefined && partSchema.pattern === undefined) {
      faults.push(partSchema.format);
    }
    if (definition.discriminator === undefined || partSchema.oneOf === undefined) return;
    // Lets ajv choose the branch by its discriminator instead of trying each.
    partSchema.type = 'object';
    partSchema['discriminator'] = { propertyName: definition.discriminator };
    partSchema.required = [definition.discriminator];
  });
  if (jsonSchema === undefined || faults.length > 0) return undefined;
  const validate = ajv.compile(jsonSchema);
  return (value) => validate(value);
}

type Visit = (part: z.core.$ZodType, partSchema: z.core.JSONSchema.BaseSchema) => void;

/** Returns the JSON Schema; undefined when a part cannot be expressed. */
function toJsonSchema(schema: z.ZodType, visit: Visit): z.core.JSONSchema.BaseSchema | undefined {
  const unsayable: string[] = [];
  const jsonSchema = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: partSchema }) => {
      const { type } = definitionOf(zodSchema);
      if (Object.keys(partSchema).length === 0 && type !== 'any' && type !== 'unknown') {
        unsayable.push(type);
      }
      visit(zodSchema, partSchema);
    },
  });
  return unsayable.length === 0 ? jsonSchema : undefined;
}

/** The schemas that are strict with all their parts, as many routes have the same ones. */
const strict = new WeakSet<z.core.$ZodType>();

/**
 * Fails for a schema with `z.object`, which drops unknown members silently: on /v1 they are an
 * error.
 */
export function assertStrict(schema: z.core.$ZodType, where: string): void {
  const seen = new Set<z.core.$ZodType>();
  assertPartStrict(schema, where, seen);
  for (const one of seen) strict.add(one);
}

function assertPartStrict(
  schema: z.core.$ZodType,
  where: string,
  seen: Set<z.core.$ZodType>,
): void {
  if (seen.has(schema) || strict.has(schema)) return;
  seen.add(schema);
  const definition = definitionOf(schema);
  const { type, catchall, innerType, element, keyType, valueType, getter } = definition;
  if (type === 'object' && catchall === undefined) {
    throw new Error(`${where} uses z.object; say z.strictObject (or z.looseObject)`);
  }
  const { options = [], shape = {} } = definition;
  const parts = [innerType, element, keyType, valueType, definition.in, getter?.(), ...options];
  for (const part of [...parts, ...Object.values(shape)]) {
    if (part !== undefined) assertPartStrict(part, where, seen);
  }
}

/** Returns whether a query field takes a repeated parameter. */
export function isList(schema: z.core.$ZodType): boolean {
  const { type, innerType, in: input, element } = definitionOf(schema);
  if (type === 'array' && element !== undefined) return true;
  const inner = innerType ?? input;
  return inner !== undefined && isList(inner);
}

/** Returns whether a query parameter is read as a number. */
export function isNumber(schema: z.core.$ZodType): boolean {
  const { type, innerType, in: input } = definitionOf(schema);
  const inner = innerType ?? input;
  return type === 'number' || (inner !== undefined && isNumber(inner));
}
