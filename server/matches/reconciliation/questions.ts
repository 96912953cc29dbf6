import { z } from 'zod';

import { Failure } from '../../model/failure.ts';
import { faultsOf } from '../../model/schema/compile.ts';
import { bodyFailure } from '../../model/schema/refusal.ts';
import { reconciliationLimits as limits } from './limits.ts';

const name = z.string().min(1).max(255);
const plain = z.union([z.string().max(limits.queryLength), z.number(), z.boolean()]);
const entity = z.object({ id: z.string().max(limits.queryLength), name: z.string().optional() });
const propertyValue = z.union([plain, entity]);

/** One query of a batch, as the API has it; members that it does not know are passed over. */
export const querySchema = z
  .object({
    query: z.string().max(limits.queryLength).optional(),
    type: z.union([z.string(), z.array(z.string()).max(20)]).optional(),
    limit: z.int().min(1).optional(),
    properties: z
      .array(
        z.object({
          pid: name,
          v: z.union([propertyValue, z.array(propertyValue).max(limits.valuesPerProperty)]),
        }),
      )
      .max(limits.propertiesPerQuery)
      .optional(),
    type_strict: z.enum(['any', 'all', 'should']).optional(),
  })
  .meta({ id: 'ReconciliationQuery' });

export const batchSchema = z.record(z.string(), querySchema);

export const extensionSchema = z.object({
  ids: z.array(z.string().max(limits.queryLength)).max(limits.extendedIds),
  properties: z.array(z.object({ id: name })).max(limits.extendedProperties),
});

export type Query = z.output<typeof querySchema>;
export type Batch = Readonly<Record<string, Query>>;
export type Extension = z.output<typeof extensionSchema>;

/** A batch of queries from the form field that has it. */
export function readBatch(text: string): Batch {
  const batch = read(text, 'queries', batchSchema) as Batch;
  const count = Object.keys(batch).length;
  if (count <= limits.queriesPerBatch) return batch;
  throw new Failure('payloadTooLarge', {
    detail: `A batch has at most ${limits.queriesPerBatch} queries, and this one has ${count}.`,
    hint: 'Send as many as batchSize of the manifest says.',
    errors: [
      { pointer: '/queries', code: 'too_many', message: `at most ${limits.queriesPerBatch}` },
    ],
  });
}

export function readExtension(text: string): Extension {
  return read(text, 'extend', extensionSchema) as Extension;
}

function read(text: string, field: string, schema: z.ZodType): unknown {
  const walk = faultsOf(schema, parse(text, field));
  if (walk.faults.length === 0) return schema.parse(JSON.parse(text));
  const faults = walk.faults.map((fault) => ({ ...fault, pointer: `/${field}${fault.pointer}` }));
  throw bodyFailure({ faults });
}

function parse(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalidJson', {
      detail: `The field ${field} is not valid JSON.`,
      hint: 'Send {"q0": {"query": "a name"}} in it, encoded as a form field.',
      errors: [{ pointer: `/${field}`, code: 'invalid_json', message: 'not valid JSON' }],
      cause,
    });
  }
}

/** Values of a property as texts; of an entity, its name. */
export function textsOf(value: NonNullable<Query['properties']>[number]['v']): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => (typeof one === 'object' ? (one.name ?? one.id) : String(one)));
}
