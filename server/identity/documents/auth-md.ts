import { readFileSync } from 'node:fs';

import type { Addresses } from '../../model/addresses.ts';
import {
  codeLimits,
  credentialLife,
  registrationLimits,
  requestRates,
} from '../../model/limits.ts';

/** What an agent reads that knows nothing but our address: docs/auth.md with addresses and numbers. */
export function authMarkdown(addresses: Addresses): string {
  const { anonymous, claimed } = requestRates;
  const values: Readonly<Record<string, string | number>> = {
    ...addresses,
    ...codeLimits,
    ...credentialLife,
    ...registrationLimits,
    anonymousReads: anonymous.readPerMinute,
    anonymousWrites: anonymous.writePerMinute,
    claimedReads: claimed.readPerMinute,
    claimedWrites: claimed.writePerMinute,
  };
  const place = new URL('docs/auth.md', import.meta.resolve('#package.json'));
  return readFileSync(place, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`docs/auth.md asks for ${whole}`);
    return String(value);
  });
}

/** An index for language models (llmstxt.org). */
export function llmsText({ baseUrl, authUrl }: Addresses): string {
  return `# Workbook Service

> Versioned workbooks for software agents: cells, formulas, tables, branches and merges over HTTP.

## Start here

- [auth.md](${authUrl}/auth.md): get a key without a human, and how a human upgrades it
- [openapi.json](${baseUrl}/openapi.json): every route with its shapes
- [reference](${baseUrl}/docs): the same as a page

## Addresses

- API: ${baseUrl}/v1
- MCP: ${baseUrl}/mcp
`;
}

const securityDays = 180;

/** RFC 9116. It has to end some day; one that is made at every start is never stale. */
export function securityText({ authUrl, siteUrl }: Addresses, now: number): string {
  const { hostname } = new URL(siteUrl);
  const expires = new Date(now + securityDays * 86_400_000).toISOString();
  return `Contact: mailto:security@${hostname}
Expires: ${expires}
Canonical: ${authUrl}/.well-known/security.txt
Preferred-Languages: en
# Keys of this service match \\bwb(?:k_(?:live|test)|o|r|c)_[0-9A-Za-z]{38}\\b
# Found one? POST ${authUrl}/agent/auth/revoke {"credential":"<it>"}
`;
}
