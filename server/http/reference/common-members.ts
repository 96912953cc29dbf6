import { membersOf, requiredOf, type Json } from './json.ts';

type Schemas = Readonly<Record<string, Json>>;

/** Characters of what two schemas have in common; less is not worth a name. */
const commonLeast = 300;

/** A schema with the text of each member, its demand and its closedness among them. */
interface Candidate {
  readonly name: string;
  readonly schema: Json;
  readonly texts: ReadonlyMap<string, string>;
}

interface Pair {
  readonly names: readonly [string, string];
  readonly common: Json;
  readonly size: number;
}

/**
 * Two objects that have many members alike, such as an item of a list and the whole of it, are both
 * said to be all of a third, which has these members, and what each has besides.
 */
export function withCommonMembers(document: Json): Json {
  const { schemas = {}, ...components } = (document['components'] ?? {}) as { schemas?: Schemas };
  const all: Record<string, Json> = { ...schemas };
  let left = Object.entries(schemas).flatMap(candidate);
  for (let best = bestPair(left); best; best = bestPair(left)) {
    const { names } = best;
    Object.assign(all, factored(all, best));
    left = left.filter(({ name }) => !names.includes(name));
  }
  return { ...document, components: { ...components, schemas: all } };
}

function candidate([name, schema]: [string, Json]): Candidate[] {
  const { type, properties, allOf } = schema;
  if (type !== 'object' || !properties || allOf) return [];
  const isClosed = schema['additionalProperties'] === false;
  const required = requiredOf(schema);
  const members = Object.entries(membersOf(schema)).map(([key, member]) => {
    return [key, JSON.stringify([member, required.includes(key), isClosed])] as const;
  });
  return [{ name, schema, texts: new Map(members) }];
}

function bestPair(candidates: readonly Candidate[]): Pair | undefined {
  let best: Pair | undefined;
  for (const [index, one] of candidates.entries()) {
    for (const other of candidates.slice(index + 1)) {
      const shared = [...one.texts].filter(([key, text]) => other.texts.get(key) === text);
      const size = shared.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
      if (size < commonLeast || size <= (best?.size ?? 0)) continue;
      const common = commonOf(one.schema, new Set(shared.map(([key]) => key)));
      best = { names: [one.name, other.name], common, size };
    }
  }
  return best;
}

function commonOf(schema: Json, names: ReadonlySet<string>): Json {
  const entries = Object.entries(membersOf(schema)).filter(([name]) => names.has(name));
  const required = requiredOf(schema).filter((name) => names.has(name));
  const properties = Object.fromEntries(entries);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function factored(schemas: Schemas, { names, common }: Pair): Schemas {
  const base = `${names.toSorted((a, b) => a.length - b.length)[0]}Members`;
  const rest = names.map((name) => [name, withoutCommon(schemas[name] ?? {}, common, base)]);
  return { ...schemas, [base]: common, ...(Object.fromEntries(rest) as Schemas) };
}

function withoutCommon(schema: Json, common: Json, base: string): Json {
  const { properties: _, required: __, additionalProperties, ...others } = schema;
  const shared = membersOf(common);
  const own = Object.entries(membersOf(schema)).filter(([name]) => !(name in shared));
  const required = requiredOf(schema).filter((name) => !(name in shared));
  return {
    ...others,
    allOf: [{ $ref: `#/components/schemas/${base}` }],
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(required.length > 0 && { required }),
    ...(additionalProperties === false && { unevaluatedProperties: false }),
  };
}
