import { withCommonMembers } from './common-members.ts';
import type { Json } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { openAnswers, withoutOpenness } from './open-answers.ts';
import {
  withBases,
  withExamplesOfPayloads,
  withoutOutputs,
  withSharedMembers,
} from './shared-members.ts';
import { holdsNames, isLiteral, shorter } from './shorter.ts';

/** Parts of a body or an answer that get a name for themselves even if it is hardly shorter. */
const structures = ['properties', 'anyOf', 'oneOf', 'enum'];

/**
 * The same document, which says once, under a name, what it said several times: whoever makes types
 * of it gets one for one thing. `forTypes` leaves plain texts and numbers where they are and
 * schemas whole, as types would be longer or less exact, and names each body and each answer.
 */
export function compactDocument(
  document: OpenApiDocument,
  { forTypes = false }: { readonly forTypes?: boolean } = {},
): OpenApiDocument {
  const whole = shorter(JSON.parse(JSON.stringify(document))) as Json;
  const open = openAnswers(whole);
  const plain = forTypes
    ? open
    : withCommonMembers(
        withBases(withSharedMembers(withoutOutputs(withoutOpenness(open) as Json))),
      );
  const given = plain['components'] as { readonly schemas?: Json };
  const parts = new RepeatedParts(Object.keys(given.schemas ?? {}), forTypes);
  parts.find(plain, top);
  const rebuilt = parts.rebuild(plain, top) as Json;
  const components = rebuilt['components'] as { readonly schemas?: Json };
  const schemas = withExamplesOfPayloads({ ...components.schemas, ...parts.named.schemas });
  const { responses, parameters } = parts.named;
  const named = {
    schemas: sorted(schemas),
    responses: sorted(responses),
    parameters: sorted(parameters),
  };
  const all: unknown = { ...rebuilt, components: { ...components, ...named } };
  return all as OpenApiDocument;
}

/** Place of a part: the name it would get, its member, and the last name above. */
interface Place {
  readonly name: string;
  readonly parent: string;
  readonly key: string;
}

const top: Place = { name: '', parent: '', key: '' };

type Family = 'schemas' | 'responses' | 'parameters';

interface Seen {
  count: number;
  readonly name: string;
  /** Descriptions, each with the number of places that say it. */
  readonly words: Map<unknown, number>;
}

interface Repeated {
  readonly value: object;
  readonly family: Family;
  readonly place: Place;
  readonly seen: Seen;
}

class RepeatedParts {
  readonly named: Record<Family, Record<string, unknown>> = {
    schemas: {},
    responses: {},
    parameters: {},
  };
  readonly #taken: Set<string>;
  readonly #forTypes: boolean;
  readonly #seen = new Map<string, Seen>();
  readonly #names = new Map<string, string>();

  constructor(taken: readonly string[], forTypes: boolean) {
    this.#taken = new Set(taken);
    this.#forTypes = forTypes;
  }

  /** Counts the parts that could have a name; what is inside of a repeated one counts once. */
  find(value: unknown, place: Place): void {
    if (typeof value !== 'object' || value === null) return;
    const family = this.#familyOf(value, place);
    if (family !== undefined) {
      const text = keyOf(value as Json, family);
      const { description } = value as Json;
      const seen = this.#seen.get(text);
      if (seen) {
        seen.count++;
        seen.words.set(description, (seen.words.get(description) ?? 0) + 1);
        return;
      }
      const name = this.#wantedName(family, value as Json, place);
      this.#seen.set(text, { count: 1, name, words: new Map([[description, 1]]) });
    }
    for (const [key, inner, at] of membersOf(value, place)) {
      if (!isLiteral(key, place.parent)) this.find(inner, at);
    }
  }

  rebuild(value: unknown, place: Place): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const family = this.#familyOf(value, place);
    const text = family === undefined ? '' : keyOf(value as Json, family);
    const seen = this.#seen.get(text);
    if (family === undefined || !seen) return this.#inside(value, place);
    const isWhole = this.#forTypes && place.key === '' && family === 'schemas';
    if (!isWhole && !isWorthIt(text, seen)) return this.#inside(value, place);
    const name = this.#names.get(text) ?? this.#define(text, { value, family, place, seen });
    return { $ref: `#/components/${family}/${name}`, ...ownWords(value as Json, seen) };
  }

  /** Gives a part its name, and the words of most of its places, if each place has some. */
  #define(text: string, { value, family, place, seen }: Repeated): string {
    const name = this.#free(seen.name);
    this.#names.set(text, name);
    const whole = this.#inside(value, place) as Json;
    const { description: _, ...bare } = whole;
    const description = mostSaid(seen);
    this.named[family][name] = { ...bare, ...(description !== undefined && { description }) };
    return name;
  }

  #inside(value: object, place: Place): unknown {
    const members = membersOf(value, place);
    if (Array.isArray(value)) return members.map(([, one, at]) => this.rebuild(one, at));
    return Object.fromEntries(
      members.map(([key, inner, at]) => {
        return [key, isLiteral(key, place.parent) ? inner : this.rebuild(inner, at)];
      }),
    );
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = wanted + number;
    this.#taken.add(name);
    return name;
  }

  #wantedName(family: Family, value: Json, { name, key }: Place): string {
    if (family === 'parameters') return pascal(String(value['name']));
    if (family === 'responses') return wordsOf(value);
    return this.#forTypes ? name : pascal(key) || name;
  }

  #familyOf(value: object, { name, parent }: Place): Family | undefined {
    if (Array.isArray(value) || '$ref' in value) return undefined;
    if (parent === 'response') return 'responses';
    if (parent === 'parameter') return 'parameters';
    if (holdsNames(parent) || name === '') return undefined;
    if (isStructure(value)) return 'schemas';
    return !this.#forTypes && 'type' in value ? 'schemas' : undefined;
  }
}

/** The part as text; structures are the same whatever is said of them where they stand. */
function keyOf(value: Json, family: Family): string {
  if (family !== 'schemas' || !isStructure(value)) return JSON.stringify(value);
  const { description: _, ...bare } = value;
  return JSON.stringify(bare);
}

/** Words that most places of a part say; undefined where a place says none. */
function mostSaid({ words }: Seen): unknown {
  if (words.has(undefined)) return undefined;
  const [most] = [...words].toSorted(([, a], [, b]) => b - a);
  return most?.[0];
}

/** Words of a place that are not those of the part. */
function ownWords({ description }: Json, seen: Seen): Json {
  return description !== mostSaid(seen) && description !== undefined ? { description } : {};
}

function wordsOf({ description }: Json): string {
  const [words = ''] = String(description).split(/[:;,]/);
  return words.split(/\W+/).map(pascal).join('');
}

/** Returns whether names and references are shorter than saying it each time. */
function isWorthIt(text: string, { count, name }: Seen): boolean {
  const reference = '{"$ref":"#/components/schemas/"}'.length + name.length;
  return count > 1 && (count - 1) * text.length > count * reference + name.length;
}

function isStructure(value: object): boolean {
  return structures.some((key) => key in value);
}

function membersOf(value: object, place: Place): [string, unknown, Place][] {
  const { name, parent, key: last } = place;
  if (Array.isArray(value)) {
    const own = parent === 'parameters' ? 'parameter' : '';
    return value.map((inner: unknown, index) => {
      const key = own === '' ? last : String((inner as Json)['name']);
      return [
        String(index),
        inner,
        { name: own === '' ? name : name + pascal(key), parent: own, key },
      ];
    });
  }
  const operation: unknown = 'operationId' in value ? value.operationId : undefined;
  const base = typeof operation === 'string' ? pascal(operation) : name;
  return Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const isNamed = parent === 'properties' || parent === 'schemas';
    if (isNamed) return [key, inner, { name: base + pascal(key), parent: '', key }];
    return [
      key,
      inner,
      { name: base, parent: parent === 'responses' ? 'response' : key, key: last },
    ];
  });
}

function pascal(word: string): string {
  return (word[0]?.toUpperCase() ?? '') + word.slice(1);
}

function sorted(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
