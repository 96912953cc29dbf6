import { z } from 'zod';

import { pages } from '../../model/limits.ts';
import { foldName } from '../../model/names.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Workbook } from '../../workbooks/workbook.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { nextCall } from './arguments.ts';
import { tool } from './tool.ts';

const input = z.strictObject({
  query: z.string().max(200).optional().describe('Part of the name or of the address'),
  include_archived: z.boolean().default(false),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(pages.listMost).default(pages.listDefault),
});

const output = z.object({
  total: z.int(),
  items: z.array(
    z.object({
      id: z.string(),
      address: z.string().describe('{namespace}/{name}'),
      name: z.string(),
      head: z.int().describe('Of main'),
      updated_at: z.string(),
      archived: z.boolean(),
    }),
  ),
  next: nextCall,
});

export function workbookList(services: McpServices): Tool {
  return tool(services, {
    name: 'workbook_list',
    title: 'List workbooks',
    description:
      'The workbooks that you can see, newest first. Every tool takes their id or address.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal }) => {
      const { offset, limit } = given;
      const { workbooks, total } = await found(services.registry, given, principal);
      const items = workbooks.map((one) => ({
        id: one.id,
        address: `${one.namespace}/${one.name}`,
        name: one.name,
        head: one.head,
        updated_at: one.updatedAt.toISOString(),
        archived: one.archived,
      }));
      const end = offset + limit;
      return { shown: { total, items, next: end < total ? { ...given, offset: end } : null } };
    },
  });
}

/** One page; what fits a query is picked from all of them. */
async function found(
  registry: WorkbookRegistry,
  { query, include_archived: includeArchived, offset, limit }: z.output<typeof input>,
  principal: Principal,
): Promise<{ workbooks: readonly Workbook[]; total: number }> {
  if (query === undefined) return registry.list(principal, { includeArchived, offset, limit });
  const wanted = foldName(query);
  const fitting: Workbook[] = [];
  for (let from = 0; ; from += pages.listMost) {
    const page = { includeArchived, offset: from, limit: pages.listMost };
    const { workbooks, total } = await registry.list(principal, page);
    for (const one of workbooks) {
      if (foldName(`${one.namespace}/${one.name}`).includes(wanted)) fitting.push(one);
    }
    if (from + pages.listMost >= total) break;
  }
  return { workbooks: fitting.slice(offset, offset + limit), total: fitting.length };
}
