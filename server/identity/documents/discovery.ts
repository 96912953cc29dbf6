import type { Addresses } from '../../model/addresses.ts';
import { scopes } from '../../model/scope.ts';

/**
 * Returns the metadata of a resource (RFC 9728): the authorization server whose tokens it takes.
 */
export function protectedResource(
  { baseUrl, authUrl, siteUrl }: Addresses,
  path = '',
): Record<string, unknown> {
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Quire',
    authorization_servers: [authUrl],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs`,
    resource_policy_uri: `${siteUrl}/policy`,
    resource_tos_uri: `${siteUrl}/terms`,
  };
}

/**
 * Returns the metadata of the authorization server (RFC 8414), with those of the
 * agent-authentication convention, which other readers ignore.
 */
export function authorizationServer(
  { baseUrl, authUrl, siteUrl }: Addresses,
  registrationTypes: readonly string[],
): Record<string, unknown> {
  return {
    issuer: authUrl,
    authorization_endpoint: `${siteUrl}/oauth2/authorize`,
    token_endpoint: `${authUrl}/oauth2/token`,
    revocation_endpoint: `${authUrl}/oauth2/revoke`,
    introspection_endpoint: `${authUrl}/oauth2/introspect`,
    registration_endpoint: `${authUrl}/oauth2/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    scopes_supported: [...scopes],
    protected_resources: [baseUrl, `${baseUrl}/mcp`],
    service_documentation: `${authUrl}/auth.md`,
    resource: baseUrl,
    authorization_servers: [authUrl],
    bearer_methods_supported: ['header'],
    agent_auth: {
      skill: `${authUrl}/auth.md`,
      register_uri: `${authUrl}/agent/auth`,
      claim_uri: `${authUrl}/agent/auth/claim`,
      claim_complete_uri: `${authUrl}/agent/auth/claim/complete`,
      revocation_uri: `${authUrl}/agent/auth/revoke`,
      identity_types_supported: registrationTypes,
      anonymous: { credential_types_supported: ['api_key'] },
      identity_assertion: {
        assertion_types_supported: ['verified_email'],
        credential_types_supported: ['api_key'],
      },
      response_envelope: 'ok/data',
    },
  };
}
