/** Words of the Model Context Protocol, each of them as the specification spells it. */

/** Version of stateless requests, which name their client in `_meta`. */
export const statelessVersion = '2026-07-28';

/** Versions whose sessions begin with `initialize`, the newest first. */
export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The version whose messages may come in lists. */
export const batchVersion = '2025-03-26';

const prefix = 'io.modelcontextprotocol/';

export const metaKeys = {
  version: `${prefix}protocolVersion`,
  clientInfo: `${prefix}clientInfo`,
  clientCapabilities: `${prefix}clientCapabilities`,
  serverInfo: `${prefix}serverInfo`,
  subscription: `${prefix}subscriptionId`,
} as const;

export const headerNames = {
  version: 'MCP-Protocol-Version',
  method: 'Mcp-Method',
  name: 'Mcp-Name',
  session: 'Mcp-Session-Id',
  parameter: 'Mcp-Param-',
} as const;

/** The member of a schema that says which header repeats an argument. */
export const headerMember = 'x-mcp-header';

export const errorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;
