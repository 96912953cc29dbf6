import type { Json } from './json.ts';

type Schemas = Readonly<Record<string, unknown>>;

/**
 * The document without saying of answers that they never have other members than these: they may
 * gain some. Bodies stay closed, as do schemas that both use.
 */
export function openAnswers(document: Json): Json {
  const { schemas = {}, ...components } = (document['components'] ?? {}) as { schemas?: Schemas };
  const sent = new Set<string>();
  const paths = Object.entries((document['paths'] ?? {}) as Record<string, Json>);
  for (const [, item] of paths) {
    for (const { requestBody, parameters } of Object.values(item) as Json[]) {
      collect([requestBody, parameters], schemas, sent);
    }
  }
  const named = Object.entries(schemas).map(([name, schema]) => {
    return [name, sent.has(name) ? schema : opened(schema)];
  });
  const open = paths.map(([path, item]) => [path, withOpenAnswers(item)]);
  const all = { ...components, schemas: Object.fromEntries(named) as Schemas };
  return { ...document, paths: Object.fromEntries(open) as Json, components: all };
}

function withOpenAnswers(item: Json): Json {
  const entries = Object.entries(item).map(([method, operation]) => {
    const { responses, ...rest } = operation as Json;
    return [method, { ...rest, responses: opened(responses) }];
  });
  return Object.fromEntries(entries) as Json;
}

/** Collects the names of the schemas that a part leads to. */
function collect(part: unknown, schemas: Schemas, found: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  if ('$ref' in part) {
    const name = String(part.$ref).replace(/^.*\//, '');
    if (found.has(name)) return;
    found.add(name);
    collect(schemas[name], schemas, found);
  }
  for (const inner of Object.values(part)) collect(inner, schemas, found);
}

/** The document without saying of any schema that it may have other members. */
export function withoutOpenness(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutOpenness);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => {
    return key !== 'additionalProperties' || JSON.stringify(value) !== '{}';
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutOpenness(inner)]));
}

function opened(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(opened);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => {
    return key !== 'additionalProperties' || value !== false;
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, opened(inner)]));
}
