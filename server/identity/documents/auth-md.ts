import { readFileSync } from 'node:fs';

import type { Addresses } from '../../model/addresses.ts';
import { dayMilliseconds } from '../../model/durations.ts';
import {
  codeLimits,
  credentialLife,
  registrationLimits,
  requestRates,
} from '../../model/limits.ts';
import { kindFamilies, operationGuide } from '../../model/operation-guide.ts';

/**
 * Returns docs/auth.md with addresses and numbers filled in, for an agent that knows only the
 * service's address.
 */
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

/**
 * Returns an index for language models (llmstxt.org); `documents` has a description of each page of
 * docs/.
 */
export function llmsText(
  { baseUrl, authUrl }: Addresses,
  documents: Readonly<Record<string, string>>,
): string {
  return `# Quire

> Versioned workbooks for software agents: cells, formulas, tables, branches and merges over HTTP.

## Start here

- [auth.md](${authUrl}/auth.md): get a key without a human, and how a human upgrades it
- [openapi.json](${baseUrl}/openapi.json): every route with its shapes
- [reference](${baseUrl}/docs): the same as a page
- [MCP](${baseUrl}/docs/mcp.md): the same for clients of the Model Context Protocol, at ${baseUrl}/mcp

## Guide

${Object.entries(documents)
  .map(([name, about]) => `- [${name}](${baseUrl}/docs/${name}): ${about}`)
  .join('\n')}

## Kinds of operation

POST ${baseUrl}/v1/workbooks/{id}/branches/{branch}/ops {"ops":[{"kind","payload"}]} takes these kinds. The
payload of each is in openapi.json under its name: \`CellsSet\` of \`cells.set\`.

${kindFamilies
  .flatMap(({ kinds }) => kinds)
  .map((kind) => `- ${kind}: ${operationGuide[kind].does}`)
  .join('\n')}

## Addresses

- API: ${baseUrl}/v1
- MCP: ${baseUrl}/mcp
`;
}

/**
 * Rules for crawlers (RFC 9309). The API answers nothing without a key, so its paths are left out
 * of indexes.
 */
export const robotsText = `User-agent: *
Allow: /$
Allow: /docs
Allow: /auth.md
Allow: /llms.txt
Disallow: /
`;

const securityDays = 180;

/**
 * Returns security.txt (RFC 9116). Its date of expiry counts from the start of the process, so it
 * is never past.
 */
export function securityText({ authUrl, siteUrl }: Addresses, now: number): string {
  const { hostname } = new URL(siteUrl);
  // The document is the same all day, so that it can be revalidated.
  const day = Math.floor(now / dayMilliseconds) + securityDays;
  const expires = new Date(day * dayMilliseconds).toISOString();
  return `Contact: mailto:security@${hostname}
Expires: ${expires}
Canonical: ${authUrl}/.well-known/security.txt
Preferred-Languages: en
# Keys of this service match \\bwb(?:k_(?:live|test)|o|r|c)_[0-9A-Za-z]{38}\\b
# Found one? POST ${authUrl}/agent/auth/revoke {"credential":"<it>"}
`;
}
