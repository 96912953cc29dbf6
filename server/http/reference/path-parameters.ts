import type { Json } from './json.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Says once for a path which parameters all of its operations take, as OpenAPI's path item object
 * allows; each operation keeps those of its own.
 */
export function withPathParameters(paths: Json): Json {
  const items = Object.entries(paths).map(([path, item]) => [path, shared(item as Json)]);
  return Object.fromEntries(items) as Json;
}

function shared(item: Json): Json {
  const operations = methods.flatMap((method) => (item[method] ? [item[method] as Json] : []));
  const [first, ...others] = operations.map((one) => new Set(parametersOf(one).map(textOf)));
  if (first === undefined || others.length === 0) return item;
  const common = new Set([...first].filter((text) => others.every((texts) => texts.has(text))));
  if (common.size === 0) return item;
  const members = Object.entries(item).map(([name, value]) => {
    return [name, methods.includes(name) ? without(value as Json, common) : value];
  });
  const parameters = [...common].map((text) => JSON.parse(text) as unknown);
  return { parameters, ...(Object.fromEntries(members) as Json) };
}

function without(operation: Json, common: ReadonlySet<string>): Json {
  const { parameters: _, ...rest } = operation;
  const own = parametersOf(operation).filter((one) => !common.has(textOf(one)));
  return own.length === 0 ? rest : { ...rest, parameters: own };
}

function parametersOf({ parameters = [] }: Json): readonly unknown[] {
  return parameters as readonly unknown[];
}

function textOf(parameter: unknown): string {
  return JSON.stringify(parameter);
}
