import t from 'tap';

import { compactDocument } from '../../../server/http/reference/compact.ts';
import { openApiDocument } from '../../../server/http/reference/openapi.ts';
import { wholeRouteTable } from '../../support/route-table.ts';

/** The short form of /openapi.json, against the long one that it is made from. */

type Json = Readonly<Record<string, unknown>>;

const base = 'http://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };
const whole = JSON.parse(
  JSON.stringify(openApiDocument(wholeRouteTable(), addresses, '1')),
) as Json;
const data = new Set(['example', 'examples', 'default', 'const', 'enum', 'required']);

for (const forTypes of [false, true]) {
  t.test(
    `it says what the whole one does, ${forTypes ? 'for types' : 'as it is served'}`,
    async (t) => {
      const compact = compactOf(forTypes);
      const said = expanded(compact['paths'], { document: compact, forTypes });
      t.same(said, expanded(whole['paths'], { document: whole, forTypes }));
      t.notMatch(JSON.stringify(compact), /9007199254740991/);
    },
  );
}

t.test('bodies are closed, and answers may gain members', async (t) => {
  const { schemas } = compactOf(false)['components'] as Json;
  const open = { Merge: { additionalProperties: undefined } };
  const items = { properties: { id: {}, expect: {} }, unevaluatedProperties: false };
  const Submission = { additionalProperties: false, properties: { ops: { items } } };
  const CellsSet = { properties: { payload: { additionalProperties: false } } };
  t.match(schemas, { Submission, CellsSet, ...open });
});

function compactOf(forTypes: boolean): Json {
  const document = openApiDocument(wholeRouteTable(), addresses, '1');
  return JSON.parse(JSON.stringify(compactDocument(document, { forTypes }))) as Json;
}

interface Place {
  readonly document: Json;
  readonly forTypes: boolean;
  readonly above?: readonly string[];
  readonly isNamed?: boolean;
}

/** Everything in the place of its reference, down to where it comes round again. */
function expanded(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((one) => expanded(one, { ...place, isNamed: false }));
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Json;
  const { $ref: reference } = given;
  if (typeof reference === 'string') {
    const { document, above: passed = [] } = place;
    if (passed.includes(reference)) return 'round';
    // An answer that has the schema of a body is said to have it.
    const name =
      document === whole && !place.forTypes ? reference.replace(/Output$/, '') : reference;
    const above = [...passed, reference];
    const siblings = Object.entries(given).filter(([key, inner]) => {
      return key === 'examples' || (key === 'description' && inner !== 'An answer has all members');
    });
    const found = expanded(at(document, name), { ...place, above, isNamed: false }) as Json;
    return { ...found, ...Object.fromEntries(siblings) };
  }
  const entries = Object.entries(given).map(([key, inner]) => {
    const isData = place.isNamed !== true && data.has(key);
    const isNamed = place.isNamed !== true && ['properties', 'responses'].includes(key);
    return [key, isData ? inner : expanded(inner, { ...place, isNamed })];
  });
  const part = Object.fromEntries(entries) as Json;
  return place.isNamed === true ? part : inLongForm(part);
}

/** Schemas in one form, whichever of several ways of saying the same they use. */
function inLongForm(given: Json): Json {
  const { allOf = [], ...bare } = given;
  const part = (allOf as readonly Json[]).reduce((all, one) => joined(one, all), closed(bare));
  const { oneOf, properties, required } = part;
  if (Array.isArray(oneOf) && properties !== undefined) {
    const { additionalProperties: _, properties: __, required: ___, ...rest } = part;
    const shared = { type: part['type'], properties, required };
    return { ...rest, oneOf: oneOf.map((option: Json) => joined(shared, option)) };
  }
  const left = new Set([
    'propertyNames',
    'discriminator',
    ...(Array.isArray(required) ? ['required'] : []),
  ]);
  if ('const' in part || 'enum' in part) left.add('type');
  if (part['format'] === 'date-time') left.add('pattern');
  const kept = Object.entries(part).filter(([key, inner]) => {
    const isWide = Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER;
    const saysNothing = key === 'additionalProperties' && Object.keys(inner ?? {}).length === 0;
    return !isWide && !saysNothing && !left.has(key);
  });
  const names = (Array.isArray(required) ? required : []) as readonly string[];
  const demand = names.length === 0 ? {} : { required: names.toSorted() };
  return withoutNullOption(withoutExample({ ...Object.fromEntries(kept), ...demand }));
}

/** A schema of which no reference leaves anything out is closed as any other is. */
function closed({ unevaluatedProperties, ...part }: Json): Json {
  return unevaluatedProperties === false ? { ...part, additionalProperties: false } : part;
}

function joined(base: Json, part: Json): Json {
  const asked = [base, part].flatMap(({ required }) => (required ?? []) as readonly string[]);
  const names = [...new Set(asked)];
  const [own, more] = [base, part].map(({ properties }) => (properties ?? {}) as Json);
  const required = names.length === 0 ? {} : { required: names.toSorted() };
  return { ...base, ...part, properties: { ...own, ...more }, ...required };
}

/** The example of an operation is said of its payload, and stays the same. */
function withoutExample(part: Json): Json {
  const { examples, properties, ...rest } = part;
  const { kind, payload } = (properties ?? {}) as Record<string, Json | undefined>;
  if (kind?.['const'] === undefined || payload === undefined) return part;
  const shown = (examples ?? []) as readonly Json[];
  const moved = shown.length === 0 ? payload : { ...payload, examples: shown.map(payloadOf) };
  return { ...rest, properties: { ...(properties as Json), payload: moved } };
}

function payloadOf({ payload }: Json): unknown {
  return payload;
}

function at(document: Json, reference: string): unknown {
  let found: unknown = document;
  for (const key of reference.slice(2).split('/')) found = (found as Json)[key];
  if (found === undefined) throw new Error(`${reference} is not there`);
  return found;
}

/** `{anyOf: [{type: x, …}, {type: null}]}` is `{type: [x, null], …}`. */
function withoutNullOption(value: Json): Json {
  const { anyOf, ...rest } = value;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return value;
  const [first, second] = anyOf as Json[];
  if (typeof first?.['type'] !== 'string' || second?.['type'] !== 'null') return value;
  return { ...first, ...rest, type: [first['type'], 'null'] };
}
