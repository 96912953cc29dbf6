import { readVersion } from '../foundation.ts';
import type { Foundation } from '../foundation.ts';
import { readDocuments, servedDocuments } from '../http/reference/documents.ts';
import { authMarkdown } from '../identity/documents/auth-md.ts';
import type { Identity } from '../identity/identity.ts';
import { OwnAccount } from '../identity/own-account.ts';
import { startMcp } from '../mcp/http.ts';
import type { McpRouteServices } from '../mcp/http.ts';
import type { McpServices } from '../mcp/services.ts';
import { isLoopback } from '../model/ip-address.ts';
import type { ScenarioServices } from '../values/scenario/http.ts';

type McpNeeds = Omit<McpServices, OpenedForMcp> & {
  readonly identity: Identity;
  readonly values: ScenarioServices & { readonly source: McpServices['positions'] };
  readonly reader: McpServices['conflicts'];
};

type OpenedForMcp =
  | 'addresses'
  | 'models'
  | 'positions'
  | 'scenarios'
  | 'conflicts'
  | 'account'
  | 'failureOf';

/** Opens what the MCP server offers to language models, over the services of the routes. */
export function openMcp(
  { addresses, config, environment }: Foundation,
  { identity, values, reader: conflicts, ...given }: McpNeeds,
): McpRouteServices {
  const pages = readDocuments();
  const documents = new Map([
    ['auth.md', { about: 'how an agent gets a key, step by step', text: authMarkdown(addresses) }],
    ...['formula-functions', 'merges', 'operations', 'rejections', 'import-export'].map((name) => {
      const file = `${name}.md`;
      const page = { about: servedDocuments[file] ?? name, text: pages.get(file) ?? '' };
      return [name === 'formula-functions' ? 'formulas' : file, page] as const;
    }),
  ]);
  const { models, scenarios, source: positions } = values;
  const account = new OwnAccount(identity);
  const opened = { addresses, environment, models, positions, scenarios, conflicts, account };
  const services = { ...given, ...opened };
  return startMcp(services, {
    documents,
    version: readVersion(),
    allowedOrigins: config.allowedOrigins,
    takesLoopback: isLoopback(config.host),
  });
}
