import type { ShownSchema } from './schema-text.ts';

/** Looks up `#/components/schemas/Name`. */
export type Resolve = (reference: string) => ShownSchema;

const depthMost = 7;

/** Values that make an example readable, by the name of the member. */
const byName: Readonly<Record<string, unknown>> = {
  at: '2026-01-31T12:00:00.000Z',
  branch: 'main',
  by: 'agt_01K0000000000000000000000A',
  cell: 'B2',
  detail: 'The range "A0" cannot be read.',
  email: 'a***@example.com',
  firstSeq: 3,
  formula: '=SUM(B2:B3)',
  head: 3,
  id: 'wb_01K0000000000000000000000A',
  lastSeq: 3,
  message: 'Prices of May',
  name: 'Plan',
  namespace: 'ada',
  range: 'A1:B2',
  seq: 3,
  sheet: 'Plan',
  stateHash: '9f2c…64 digits',
  userId: 'agt_01K0000000000000000000000A',
  user_id: 'agt_01K0000000000000000000000A',
  writer: 'me',
};

/** A value that meets the schema as far as its shape goes, for people to see what an answer is like. */
export function sampleOf(schema: ShownSchema, resolve: Resolve, name = '', depth = 0): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve, name, depth);
  const given = givenBy(schema);
  if (given !== undefined) return given;
  const option = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.[0];
  if (option !== undefined) return sampleOf(option, resolve, name, depth);
  const type = typeOf(schema);
  if (type === 'object') return ofObject(schema, resolve, depth);
  return type === 'array' ? ofArray(schema, resolve, name, depth) : ofPlain(schema, type, name);
}

function typeOf({ type }: ShownSchema): string | undefined {
  return typeof type === 'string' ? type : type?.[0];
}

function givenBy({ examples, const: only, default: fallback, enum: values }: ShownSchema): unknown {
  return examples?.[0] ?? only ?? fallback ?? values?.[0];
}

function ofPlain(schema: ShownSchema, type: string | undefined, name: string): unknown {
  if (type === 'string') return ofText(schema, name);
  if (type === 'integer' || type === 'number') return ofNumber(schema, name);
  if (type === 'boolean') return true;
  return type === 'null' ? null : (byName[name] ?? {});
}

function ofNumber({ minimum = 1 }: ShownSchema, name: string): number {
  const known = byName[name];
  return typeof known === 'number' ? known : Math.max(minimum, 1);
}

function ofText(schema: ShownSchema, name: string): string {
  if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z';
  const known = byName[name];
  return typeof known === 'string' ? known : '…';
}

function ofArray(schema: ShownSchema, resolve: Resolve, name: string, depth: number): unknown[] {
  if (depth >= depthMost) return [];
  if (schema.prefixItems !== undefined) {
    return schema.prefixItems.map((item) => sampleOf(item, resolve, name, depth + 1));
  }
  return [sampleOf(schema.items ?? {}, resolve, name, depth + 1)];
}

/** Sample of an object: required members, and in the first levels all others too. */
function ofObject(schema: ShownSchema, resolve: Resolve, depth: number): Record<string, unknown> {
  if (depth >= depthMost) return {};
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name]) => depth < 2 || schema.required?.includes(name) === true,
  );
  const shown = members.map(([name, member]) => [name, sampleOf(member, resolve, name, depth + 1)]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}
