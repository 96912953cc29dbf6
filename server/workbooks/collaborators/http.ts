import { z } from 'zod';

import { route } from '../../http/route.ts';
import type { Reply, Route } from '../../http/route.ts';
import { givenRoles, roles } from '../../model/access.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { WorkbookRegistry } from '../registry.ts';
import type { Collaborator, CollaboratorTable } from './sql.ts';

export interface CollaboratorServices {
  readonly registry: WorkbookRegistry;
  readonly collaborators: CollaboratorTable;
  readonly environment: Environment;
}

const shared = { host: 'api', tag: 'Collaborators' } as const;
const params = z.strictObject({ id: z.string() });
const userParams = params.extend({
  user: z.string().regex(/^(?:usr|agt)_[0-9A-HJKMNP-TV-Z]{26}$/u, 'not the id of a user'),
});

const listed = z
  .strictObject({
    collaborators: z.array(
      z.strictObject({
        userId: z.string(),
        role: z.enum(roles),
        kind: z.enum(['agent', 'human']),
        name: z.string().describe('Namespace of the user'),
        addedAt: z.string().meta({ format: 'date-time' }).nullable().describe('Null for owners'),
      }),
    ),
  })
  .meta({ id: 'Collaborators' });

const responses = { 200: { description: 'All of them', schema: listed } } as const;

export function collaboratorRoutes(services: CollaboratorServices): Route[] {
  return [listRoute(services), putRoute(services), removeRoute(services)];
}

function listRoute(services: CollaboratorServices): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workbooks/:id/collaborators',
    scope: 'read',
    summary: 'Collaborators: who has a role in a workbook (sharing)',
    description: 'The owner first, with their roles.',
    request: { params },
    responses,
    handler: async ({ params: { id }, principal }) => {
      await services.registry.visible(id, principal);
      return answer(services, id);
    },
  });
}

function putRoute(services: CollaboratorServices): Route {
  const { registry, collaborators, environment } = services;
  return route({
    ...shared,
    method: 'PUT',
    path: '/v1/workbooks/:id/collaborators/:user',
    scope: 'write',
    summary: 'Share a workbook: give a user a role',
    description:
      'An editor reads and writes, a reviewer reads, branches and approves merges, a viewer reads. The user is named by the `user_id` that they find at GET /agent/auth/me.',
    request: { params: userParams, body: z.strictObject({ role: z.enum(givenRoles) }) },
    example: { body: { role: 'editor' } },
    responses,
    handler: async ({ params: { id, user: userId }, body: { role }, principal, keyed }) => {
      await registry.writable(id, principal);
      if (await registry.isOwner(id, userId)) {
        throw new Failure('invalidRequest', {
          detail: 'The owner of a workbook needs no other role in it.',
          errors: [{ pointer: '/user', code: 'owner', message: 'is the owner' }],
        });
      }
      const at = new Date(environment.now());
      const given = { userId, role, by: principal.userId, at };
      if (!(await collaborators.put(id, given, keyed?.settling(listReply)))) {
        throw new Failure('notFound', {
          detail: 'There is no user with this id.',
          hint: 'They find theirs with GET /agent/auth/me.',
        });
      }
      registry.changed(id);
      return answer(services, id);
    },
  });
}

function removeRoute(services: CollaboratorServices): Route {
  const { registry, collaborators } = services;
  return route({
    ...shared,
    method: 'DELETE',
    path: '/v1/workbooks/:id/collaborators/:user',
    scope: 'write',
    summary: 'Take away the role of a user, or give up your own',
    description:
      'The owner takes away any role, and everybody their own. The workbook is then 404 to that user; what they wrote stays.',
    request: { params: userParams },
    responses,
    handler: async ({ params: { id, user }, principal, keyed }) => {
      await registry.writable(id, principal);
      if (user !== principal.userId) await registry.check(id, 'settings', principal);
      await collaborators.remove(id, user, keyed?.settling(listReply));
      registry.changed(id);
      return answer(services, id);
    },
  });
}

async function answer({ collaborators }: CollaboratorServices, id: string): Promise<Reply> {
  return listReply(await collaborators.list(id));
}

function listReply(found: readonly Collaborator[]): Reply {
  return {
    value: {
      collaborators: found.map(({ addedAt, ...one }) => ({
        ...one,
        addedAt: addedAt?.toISOString() ?? null,
      })),
    },
  };
}
