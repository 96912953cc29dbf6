import { createHash } from 'node:crypto';

import { compactDocument } from '../../server/http/reference/compact.ts';
import { openApiDocument } from '../../server/http/reference/openapi.ts';
import { wholeRouteTable } from '../support/route-table.ts';

const base = 'http://quire.example';
/** Words and bounds, which types cannot hold or which would make them three times as long. */
const left = new Set(['description', 'examples', 'example', 'maxLength', 'minLength', 'pattern']);

/** The source of the library's types: /openapi.json without words and failures. */
export function typedDocument(): unknown {
  const addresses = { baseUrl: base, authUrl: base, siteUrl: base };
  const document = openApiDocument(wholeRouteTable(), addresses, '1');
  return stripped(compactDocument(document, { forTypes: true }), '');
}

export function hashOf(document: unknown): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex');
}

function stripped(value: unknown, parent: string): unknown {
  if (Array.isArray(value)) return value.map((one) => stripped(one, ''));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !isLeft(key, parent));
  return Object.fromEntries(kept.map(([key, inner]) => [key, stripped(inner, key)])) as unknown;
}

function isLeft(key: string, parent: string): boolean {
  if (parent === 'properties') return false;
  if (parent === 'responses') return !/^[23A-Z]/.test(key);
  return left.has(key) || key === 'application/vnd.msgpack' || key === 'discriminator';
}
