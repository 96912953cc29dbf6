import { membersOf, requiredOf, type Json } from './json.ts';

type Schemas = Readonly<Record<string, Json>>;

/** Fewer alternatives say their members themselves. */
const alternativesLeast = 8;
/** Characters of its members; less is not worth a reference. */
const baseLeast = 150;
const prefix = '#/components/schemas/';
const allMembers = 'An answer has all members';

/**
 * Members that all alternatives of a long list have alike, such as the id of an operation of any
 * kind, are said once beside the list. Alternatives that something else names stay whole.
 */
export function withSharedMembers(document: Json): Json {
  const { schemas = {}, ...components } = (document['components'] ?? {}) as { schemas?: Schemas };
  const uses = countUses(document);
  const changed: Record<string, Json> = {};
  const lift = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(lift);
    if (typeof part !== 'object' || part === null) return part;
    const members = Object.entries(part).map(([key, inner]) => [key, lift(inner)] as const);
    const whole: Json = Object.fromEntries(members);
    const names = alternativesOf(whole);
    if (names.length < alternativesLeast || names.some((name) => uses.get(name) !== 1))
      return whole;
    const options = names.map((name) => schemas[name] ?? {});
    const shared = sharedMembers(options);
    if (Object.keys(shared).length === 0) return whole;
    for (const name of names) {
      // Beside the list it is said that all are objects.
      const { type: _, ...rest } = withoutMembers(schemas[name] ?? {}, shared);
      changed[name] = rest;
    }
    return { type: 'object', properties: shared, ...whole, unevaluatedProperties: false };
  };
  const paths = lift(document['paths']);
  const named = Object.entries(schemas).map(([name, schema]) => [name, lift(schema)] as const);
  const all = { ...components, schemas: { ...Object.fromEntries(named), ...changed } };
  return { ...document, paths, components: all };
}

/**
 * Where an answer has the schema of a body, except that it holds all members, the schema is said
 * once: a name that ends in `Output` is that of the answer.
 */
export function withoutOutputs(document: Json): Json {
  const { schemas = {} } = (document['components'] ?? {}) as { schemas?: Schemas };
  const left = Object.keys(schemas).filter((name) => {
    const own = schemas[name.replace(/Output$/, '')];
    return own !== schemas[name] && own !== undefined && isAlike(own, schemas[name]);
  });
  const renamed = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(renamed);
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).filter(([key]) => !left.includes(key));
    const isOne = '$ref' in part && left.includes(String(part.$ref).slice(prefix.length));
    if (isOne) return { $ref: String(part.$ref).replace(/Output$/, ''), description: allMembers };
    return Object.fromEntries(entries.map(([key, inner]) => [key, renamed(inner)]));
  };
  return left.length === 0 ? document : (renamed(document) as Json);
}

function isAlike(one: unknown, other: unknown): boolean {
  const text = (part: unknown) =>
    JSON.stringify(part, (key, value: unknown) => {
      const isClosed = key === 'additionalProperties' && value === false;
      const isDemand = key === 'default' || (key === 'required' && Array.isArray(value));
      return isClosed || isDemand ? undefined : value;
    });
  return text(one) === text(other);
}

/** The example of an operation is that of its payload: its kind is said beside it. */
export function withExamplesOfPayloads(schemas: Json): Json {
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const { examples, ...rest } = schema as Json;
    const { kind, payload } = membersOf(rest) as Record<string, Json | undefined>;
    if (!Array.isArray(examples) || kind?.['const'] === undefined) return [name, schema] as const;
    const shown = { ...payload, examples: examples.map((one: Json) => one['payload']) };
    return [name, { ...rest, properties: { ...membersOf(rest), payload: shown } }] as const;
  });
  return Object.fromEntries(entries);
}

/** An answer that has all members of another one, and more, is that one with the rest. */
export function withBases(document: Json): Json {
  const { schemas = {}, ...components } = (document['components'] ?? {}) as { schemas?: Schemas };
  const open = Object.entries(schemas).filter(([, { type, additionalProperties }]) => {
    return type === 'object' && additionalProperties === undefined;
  });
  const shorter = open.flatMap(([name, schema]) => {
    const bases = open.filter(([, base]) => base !== schema && isBase(base, schema));
    const [best] = bases.toSorted((a, b) => sizeOf(b[1]) - sizeOf(a[1]));
    return best ? [[name, onBase(schema, best)] as const] : [];
  });
  const all = { ...components, schemas: { ...schemas, ...Object.fromEntries(shorter) } };
  return { ...document, components: all };
}

function isBase(base: Json, schema: Json): boolean {
  const entries = Object.entries(membersOf(base));
  if (sizeOf(base) < baseLeast || entries.length >= Object.keys(membersOf(schema)).length)
    return false;
  const required = requiredOf(schema);
  const words = base['description'];
  return (
    (words === undefined || words === schema['description']) &&
    requiredOf(base).every((name) => required.includes(name)) &&
    entries.every(([name, member]) => {
      return JSON.stringify(member) === JSON.stringify(membersOf(schema)[name]);
    })
  );
}

function onBase(schema: Json, [name, base]: readonly [string, Json]): Json {
  const rest = withoutMembers(schema, membersOf(base));
  const required = requiredOf(schema).filter((one) => !requiredOf(base).includes(one));
  const whole: Json = { ...rest, allOf: [{ $ref: `${prefix}${name}` }] };
  const { required: _, ...optional } = whole;
  return required.length === 0 ? optional : { ...optional, required };
}

function sizeOf(schema: Json): number {
  return JSON.stringify([schema['properties'], schema['required']]).length;
}

function alternativesOf({ oneOf }: Json): string[] {
  if (!Array.isArray(oneOf)) return [];
  const names = oneOf.map((option: Json) => option['$ref']);
  return names.every((name) => typeof name === 'string')
    ? names.map((name) => name.slice(prefix.length))
    : [];
}

function countUses(part: unknown, uses = new Map<string, number>()): Map<string, number> {
  if (typeof part !== 'object' || part === null) return uses;
  if ('$ref' in part && typeof part.$ref === 'string') {
    const name = part.$ref.slice(prefix.length);
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  for (const inner of Object.values(part)) countUses(inner, uses);
  return uses;
}

/** The optional members that all of the schemas have, with the same words. */
function sharedMembers([first = {}, ...others]: readonly Json[]): Json {
  const required = requiredOf(first);
  const members = Object.entries(first['properties'] ?? {}).filter(([name, schema]) => {
    const text = JSON.stringify(schema);
    const hasIt = (other: Json) => JSON.stringify(membersOf(other)[name]) === text;
    return !required.includes(name) && others.every(hasIt);
  });
  return Object.fromEntries(members);
}

function withoutMembers(schema: Json, shared: Json): Json {
  const { additionalProperties: _, ...open } = schema;
  const own = Object.entries(membersOf(schema)).filter(([name]) => !(name in shared));
  return { ...open, properties: Object.fromEntries(own) };
}
