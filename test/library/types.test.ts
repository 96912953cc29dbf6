import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { compactDocument } from '../../server/http/reference/compact.ts';
import { openApiDocument } from '../../server/http/reference/openapi.ts';
import { op, operationKinds } from '../../client/library/quire.ts';
import { operationGuide } from '../../server/model/operation-guide.ts';
import { hashOf, typedDocument } from '../client-types/document.ts';
import { root } from '../support/sources.ts';
import { wholeRouteTable } from '../support/route-table.ts';

const typesLengthMost = 165_000;
const base = 'http://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };

t.test('the types of the library are those of the document', async (t) => {
  const text = await readFile(join(root, 'client/library/api.d.ts'), 'utf8');
  const hash = /^\/\/ SHA-256 of what it was made from: (\w+)$/m.exec(text)?.[1];
  t.equal(hash, hashOf(typedDocument()), '`npm run client-types` makes them anew');
  t.ok(text.length <= typesLengthMost, `they have ${text.length} characters`);
});

t.test('there is a function for every kind of operation', async (t) => {
  t.same(operationKinds.toSorted(), Object.keys(operationGuide).toSorted());
  t.same(Object.keys(op).length, operationKinds.length);
  t.same(op.tableColumnAdd({ table: 'Sales', column: 'Tax' }, { id: 'one' }), {
    id: 'one',
    kind: 'table.column.add',
    payload: { table: 'Sales', column: 'Tax' },
  });
});

t.test('the compact document leads to everything, and says what the whole one does', async (t) => {
  const whole = openApiDocument(wholeRouteTable(), addresses, '1');
  const compact = compactDocument(whole);
  const resolved = expanded(compact.paths, compact);
  t.same(resolved, expanded(JSON.parse(JSON.stringify(whole.paths)), whole));
  t.notMatch(JSON.stringify(compact), /9007199254740991/);
});

/** The same with everything in the place of its reference, down to where it comes round again. */
function expanded(value: unknown, document: object, above: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => expanded(one, document, above));
  if (typeof value !== 'object' || value === null) return value;
  const reference: unknown = '$ref' in value ? value.$ref : undefined;
  if (typeof reference === 'string') {
    return above.includes(reference)
      ? 'round'
      : expanded(at(document, reference), document, [...above, reference]);
  }
  const members = Object.entries(value as Record<string, unknown>).filter(([key, inner]) => {
    return key !== 'propertyNames' && Math.abs(Number(inner)) !== Number.MAX_SAFE_INTEGER;
  });
  const entries = members.map(([key, inner]) => [key, expanded(inner, document, above)]);
  return withoutNullOption(Object.fromEntries(entries) as Record<string, unknown>);
}

function at(document: object, reference: string): unknown {
  let found: unknown = document;
  for (const key of reference.slice(2).split('/')) found = (found as Record<string, unknown>)[key];
  if (found === undefined) throw new Error(`${reference} is not there`);
  return found;
}

/** `{anyOf: [{type: x, …}, {type: null}]}` is `{type: [x, null], …}`. */
function withoutNullOption(value: Record<string, unknown>): unknown {
  const { anyOf, ...rest } = value;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return value;
  const [first, second] = anyOf as [Record<string, unknown>, Record<string, unknown>];
  const isPlain = typeof first['type'] === 'string' && !('enum' in first) && !('const' in first);
  if (!isPlain || second['type'] !== 'null') return value;
  return { ...first, ...rest, type: [first['type'], 'null'] };
}
