import type { Addresses } from '../model/addresses.ts';
import { scopes } from '../model/scope.ts';

/** RFC 9728: which authorization server a resource takes tokens of. */
export function protectedResource(
  addresses: Addresses,
  path: '' | '/mcp',
): Record<string, unknown> {
  const { baseUrl, authUrl, siteUrl } = addresses;
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Workbook Service',
    authorization_servers: [authUrl],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs`,
    resource_policy_uri: `${siteUrl}/policy`,
    resource_tos_uri: `${siteUrl}/terms`,
  };
}
