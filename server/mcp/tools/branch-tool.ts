import { z } from 'zod';

import { protectionOf } from '../../model/protection.ts';
import { referenceName } from '../../model/reference.ts';
import { Failure } from '../../model/failure.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { branchName, position, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { tool } from './tool.ts';

const input = z.strictObject({
  workbook,
  action: z
    .enum(['list', 'create', 'archive'])
    .describe('archive takes the branch off the list; its history stays, and its name is free'),
  name: branchName.optional().describe('Of create and archive'),
  from: z.string().max(300).default('main').describe('Of create: where it begins, main or main@42'),
  description: z.string().max(1_024).optional(),
});

const output = z.object({
  branches: z.array(
    z.object({
      name: z.string(),
      ref: position.describe('Its head'),
      from: position.nullable().describe('Where it begins'),
      ahead: z.int().describe('Operations since then'),
      behind: z.int().describe('Operations that its parent has got since then'),
      protected: z.boolean().describe('Written to by merges alone'),
      updated_at: z.string(),
    }),
  ),
});

export function branchTool(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'branch',
    title: 'Branches',
    description:
      'Lists the branches of a workbook, begins one at any position (nothing is copied), or takes one off the list. Answers the branches as they are then.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false },
    isWrite: ({ action }) => action !== 'list',
    run: async (given, { principal }) => {
      const { action, from, description } = given;
      const asked = ({ list: 'read', create: 'branch', archive: 'write' } as const)[action];
      const facts = await targets.workbook(given.workbook, asked, principal);
      if (action !== 'list') {
        const name = needed(given.name, action);
        if (action === 'archive' && name === mainBranch) throw keepsMain();
        if (action === 'create')
          await services.forks.create(facts, { name, from, description }, principal);
        else await services.forks.delete(facts, name, { principal, settle: undefined });
      }
      return { shown: { branches: await listBranches(services, facts.id) } };
    },
  });
}

function needed(name: string | undefined, action: string): string {
  if (name !== undefined) return name;
  throw new Failure('invalidRequest', {
    detail: `/name: This is missing; ${action} needs it.`,
    errors: [
      { pointer: '/name', code: 'required', message: `${action} needs the name of a branch.` },
    ],
  });
}

function keepsMain(): Failure {
  return new Failure('forbidden', {
    detail: 'A workbook keeps its branch main.',
    hint: 'Name another branch; branch {"action":"list"} has their names.',
  });
}

export async function listBranches({ forks, policies }: McpServices, workbookId: string) {
  const entries = await forks.list(workbookId, { includesArchived: false });
  const policy = await policies.policyOf(workbookId);
  return entries.map(({ name, head, from, parentHead, updatedAt }) => ({
    name,
    ref: referenceName(name, head),
    from: from?.branch ? referenceName(from.branch, from.seq) : null,
    ahead: head,
    behind: from ? (parentHead ?? from.seq) - from.seq : 0,
    protected: (protectionOf(policy, name)?.directWrites ?? 'allow') !== 'allow',
    updated_at: updatedAt.toISOString(),
  }));
}
