import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import type { Addresses } from '../../model/addresses.ts';
import type { Route } from '../route.ts';
import { compactDocument } from './compact.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './reference-page.ts';

/** The reference of the service as programs and as people read it. */
export interface Reference {
  /** /openapi.json: OpenAPI 3.1. */
  readonly json: string;
  /** /docs: HTML. */
  readonly page: string;
}

const baseUrl = 'https://base.invalid';
const authUrl = 'https://auth.invalid';

/**
 * The addresses of a service in a written reference, to be replaced. Where the identity service has
 * an address of its own, its routes say so: another text.
 */
export const writtenAddresses: readonly Addresses[] = [
  { baseUrl, authUrl: baseUrl, siteUrl: baseUrl },
  { baseUrl, authUrl, siteUrl: baseUrl },
];

/** Takes a second or two, in which the thread does nothing else. */
export function makeReference(
  routes: readonly Route[],
  addresses: Addresses,
  version: string,
): Reference {
  const document = openApiDocument(routes, addresses, version);
  return { json: JSON.stringify(compactDocument(document)), page: referencePage(document) };
}

export function writeReference(addresses: Addresses, { json, page }: Reference): void {
  mkdirSync(new URL('.', fileOf(addresses, 'json')), { recursive: true });
  writeFileSync(fileOf(addresses, 'json'), json);
  writeFileSync(fileOf(addresses, 'html'), page);
}

/** Reads what the build wrote, with the addresses of this service in it. */
export function readReference(addresses: Addresses): Reference {
  const read = (type: FileType): string =>
    readFileSync(fileOf(addresses, type), 'utf8')
      .replaceAll(baseUrl, () => addresses.baseUrl)
      .replaceAll(authUrl, () => addresses.authUrl);
  return { json: read('json'), page: read('html') };
}

type FileType = 'json' | 'html';

function fileOf(addresses: Addresses, type: FileType): URL {
  const name = addresses.authUrl === addresses.baseUrl ? 'one-address' : 'two-addresses';
  return new URL(`build/reference/${name}.${type}`, import.meta.resolve('#package.json'));
}
