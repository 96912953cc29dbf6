import type { OpenApiDocument } from './openapi.ts';

type Json = Readonly<Record<string, unknown>>;

/** Shorter parts are left where they are: a reference would hardly be shorter. */
const shortest = { schemas: 150, responses: 100, parameters: 100 } as const;
const safeBounds: Json = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
/** Members whose values are data, not parts of the document. */
const literal = new Set([
  'example',
  'examples',
  'default',
  'const',
  'enum',
  'required',
  'security',
]);

/**
 * The same document, which says once, under a name, what it said several times: whoever makes types
 * of it gets one for one thing. Bounds of integers that hold for every JSON number go.
 */
export function compactDocument(document: OpenApiDocument): OpenApiDocument {
  const plain = JSON.parse(JSON.stringify(document)) as Json;
  const given = plain['components'] as { readonly schemas?: Json };
  const parts = new RepeatedParts(Object.keys(given.schemas ?? {}));
  parts.find(plain, { name: '', parent: '' });
  const rebuilt = parts.rebuild(plain, { name: '', parent: '' }) as Json;
  const components = rebuilt['components'] as { readonly schemas?: Json };
  const schemas = sorted({ ...components.schemas, ...parts.named.schemas });
  const { responses, parameters } = parts.named;
  const named = { schemas, responses: sorted(responses), parameters: sorted(parameters) };
  const all: unknown = { ...rebuilt, components: { ...components, ...named } };
  return all as OpenApiDocument;
}

/** Where a part is: the name it would get, and the member that it is the value of. */
interface Place {
  readonly name: string;
  readonly parent: string;
}

type Family = keyof typeof shortest;

class RepeatedParts {
  readonly named: Record<Family, Record<string, unknown>> = {
    schemas: {},
    responses: {},
    parameters: {},
  };
  readonly #taken: Set<string>;
  readonly #seen = new Map<string, { count: number; readonly name: string }>();
  readonly #names = new Map<string, string>();

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** Counts the parts that could have a name; what is inside of a repeated one counts once. */
  find(value: unknown, place: Place): void {
    if (typeof value !== 'object' || value === null) return;
    const family = familyOf(value, place);
    if (family !== undefined) {
      const text = JSON.stringify(value);
      const seen = this.#seen.get(text);
      if (seen) {
        seen.count++;
        return;
      }
      this.#seen.set(text, { count: 1, name: wantedName(family, value as Json, place) });
    }
    for (const [key, inner, at] of membersOf(value, place)) {
      if (!isLiteral(key, place)) this.find(inner, at);
    }
  }

  rebuild(value: unknown, place: Place): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const family = familyOf(value, place);
    const text = family === undefined ? '' : JSON.stringify(value);
    if (family === undefined || (this.#seen.get(text)?.count ?? 0) < 2) {
      return this.#inside(value, place);
    }
    let name = this.#names.get(text);
    if (name === undefined) {
      name = this.#free(this.#seen.get(text)?.name ?? '');
      this.#names.set(text, name);
      this.named[family][name] = this.#inside(value, place);
    }
    return { $ref: `#/components/${family}/${name}` };
  }

  #inside(value: object, place: Place): unknown {
    if (Array.isArray(value))
      return membersOf(value, place).map(([, one, at]) => this.rebuild(one, at));
    const members = membersOf(value, place).filter(([key, inner]) => !isSafeBound(key, inner));
    const entries = members.map(([key, inner, at]) => {
      return [key, isLiteral(key, place) ? inner : this.rebuild(inner, at)];
    });
    return shortened(Object.fromEntries(entries) as Json);
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = wanted + number;
    this.#taken.add(name);
    return name;
  }
}

function familyOf(value: object, place: Place): Family | undefined {
  const family = Array.isArray(value) ? undefined : kindOf(value, place.parent);
  if (family === undefined) return undefined;
  return JSON.stringify(value).length < shortest[family] ? undefined : family;
}

function kindOf(value: object, parent: string): Family | undefined {
  if (parent === 'failure') return 'responses';
  if (parent === 'parameter') return 'parameters';
  if (parent === 'properties' || parent === 'schemas') return undefined;
  const isSchema = ['properties', 'anyOf', 'oneOf', 'enum'].some((key) => key in value);
  return isSchema ? 'schemas' : undefined;
}

function wantedName(family: Family, value: Json, { name }: Place): string {
  if (family === 'schemas') return name;
  const words = String(value[family === 'responses' ? 'description' : 'name']).split(/\W+/);
  return words.map(pascal).join('');
}

function membersOf(value: object, { name, parent }: Place): [string, unknown, Place][] {
  if (Array.isArray(value)) {
    const own = parent === 'parameters' ? 'parameter' : '';
    return value.map((inner: unknown, index) => [String(index), inner, { name, parent: own }]);
  }
  const operation: unknown = 'operationId' in value ? value.operationId : undefined;
  const base = typeof operation === 'string' ? pascal(operation) : name;
  return Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const isNamed = parent === 'properties' || parent === 'schemas';
    if (isNamed) return [key, inner, { name: base + pascal(key), parent: '' }];
    const isFailure = parent === 'responses' && !key.startsWith('2');
    return [key, inner, { name: base, parent: isFailure ? 'failure' : key }];
  });
}

function isLiteral(key: string, { parent }: Place): boolean {
  return parent !== 'properties' && parent !== 'responses' && literal.has(key);
}

/** A plain type or null needs no `anyOf`, and names of members are texts anyway. */
function shortened({ propertyNames, ...value }: Json): Json {
  const whole = isPlainText(propertyNames) ? value : { propertyNames, ...value };
  const options = whole['anyOf'];
  if (!Array.isArray(options) || options.length !== 2) return whole;
  const [first, second] = options as readonly Json[];
  if (first === undefined || typeof first['type'] !== 'string' || 'enum' in first) return whole;
  if (second?.['type'] !== 'null' || 'const' in first) return whole;
  const { anyOf: _, ...rest } = whole;
  return { ...first, ...rest, type: [first['type'], 'null'] };
}

function isPlainText(value: unknown): boolean {
  return value === undefined || JSON.stringify(value) === '{"type":"string"}';
}

function isSafeBound(key: string, value: unknown): boolean {
  return safeBounds[key] === value;
}

function pascal(word: string): string {
  return (word[0]?.toUpperCase() ?? '') + word.slice(1);
}

function sorted(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
