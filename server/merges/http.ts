import { z } from 'zod';

import { ndjsonType } from '../http/negotiate.ts';
import { route, type Reply, type Route } from '../http/route.ts';
import type { Policies } from '../branches/policies.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import { Failure } from '../model/failure.ts';
import { pages } from '../model/limits.ts';
import type { Diffs } from '../diffs/diffs.ts';
import { diffReply, diffTypes, diffWishes, wantedKinds } from '../diffs/http.ts';
import type { Attribution } from '../diffs/origins.ts';
import { diffAnswer } from '../diffs/shapes.ts';
import { conflictRoutes, type ConflictServices } from './conflicts/http.ts';
import type { ListedStates } from './listed-states.ts';
import {
  isEnded,
  listedMerge,
  mergeView,
  patienceSeconds,
  retrySeconds,
  trialView,
  unitViews,
} from './merge-view.ts';
import type { Look, OpenLook } from './look.ts';
import { closed } from './merge-failures.ts';
import { proposedWords } from './proposal.ts';
import {
  abortBody,
  approvalBody,
  creation,
  listedSchema,
  mergeParams,
  mergeSchema,
  mergeTag as tag,
  params,
  stateSchema,
  trialSchema,
  unitSchema,
  unitsBody,
} from './schema.ts';

export interface MergeServices extends ConflictServices {
  readonly policies: Policies;
  readonly diffs: Diffs;
  readonly unattributed: Attribution;
  readonly listedStates: ListedStates;
  readonly names: IdentityNames;
}

const computing = {
  description: 'Kept; what only merging brings about is still being evaluated: ask again',
  schema: mergeSchema,
};

export function mergeRoutes(services: MergeServices): Route[] {
  return [
    createRoute(services),
    listRoute(services),
    getRoute(services),
    ...conflictRoutes(services),
    approveRoute(services),
    abortRoute(services),
    diffRoute(services),
    unitsRoute(services),
  ];
}

function createRoute({ merges, decisions, registry, policies, names }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/merges',
    scope: 'write',
    tag,
    summary: 'Merge: propose to merge a branch into another',
    description:
      'Compares both with what they have in common, by identity of rows, columns and records: nothing that only one side changed is lost, and what both changed is a conflict. Nothing is written until the merge is applied.',
    request: { params, body: creation },
    keyMember: 'idempotencyKey',
    example: {
      body: {
        source: 'q3',
        target: 'main',
        title: 'Figures of the third quarter',
        granularity: 'row',
        idempotencyKey: '6f1c7e52-q3-into-main',
      },
    },
    responses: {
      200: { description: 'What it would be, of a dry run', schema: trialSchema },
      201: { description: 'The merge', schema: mergeSchema },
      202: computing,
    },
    handler: async ({ params: { id }, body, principal, waitSeconds, keyed, signal }) => {
      const facts = await registry.writable(id, principal);
      const {
        dryRun: isTrial,
        strategy,
        granularity,
        units: grouping,
        idempotencyKey: _key,
        ...asked
      } = body;
      const policy = await policies.policyOf(id);
      const request = {
        ...asked,
        ...proposedWords(body),
        strategy: strategy ?? policy.merge.strategy,
        ...(granularity && { granularity }),
        ...(grouping && { grouping }),
      };
      policies.checkSquash(policy, request.squash);
      // A merge that is to be applied has to be known.
      const isPatient = request.apply === 'auto';
      const wishes = { principal, isTrial, keyed, ...(!isPatient && { waitSeconds, signal }) };
      const look = await merges.create(facts, request, wishes);
      if (isTrial && 'outcome' in look) {
        const findings = await merges.soon(look, waitSeconds ?? patienceSeconds);
        return { value: await named(names, trialView(look, findings)) };
      }
      const who = { facts, principal };
      const isReady = request.apply === 'auto' && 'outcome' in look;
      const made = isReady ? await decisions.applyReady(look, who) : look;
      const path = `/v1/workbooks/${id}/merges/${look.record.id}`;
      const answer = await reply({ merges, names }, made, waitSeconds);
      return { status: 201, ...answer, headers: { Location: path, ...answer.headers } };
    },
  });
}

const listQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.listMost).default(pages.listDefault),
});

function listRoute({ merges, registry, listedStates }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/merges',
    scope: 'read',
    tag,
    summary: 'Merges: list them, newest first',
    description:
      'A page of all merges, open and closed. `GET …/merges/{mid}` has the counts of one.',
    produces: [ndjsonType],
    request: { params, query: listQuery },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          total: z.int(),
          offset: z.int(),
          limit: z.int(),
          merges: z.array(listedSchema),
        }),
      },
    },
    handler: async ({ params: { id }, query, principal }) => {
      await registry.visible(id, principal);
      const { total, looks } = await merges.list(id, query);
      const states = await listedStates.of(looks);
      const items = looks.map((look, index) => {
        const listed = listedMerge(look);
        return { ...listed, state: states[index] ?? listed.state };
      });
      return { rows: { header: { total, ...query }, member: 'merges', items } };
    },
  });
}

function getRoute({ merges, registry, names }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/merges/:mid',
    scope: 'read',
    tag,
    summary: 'Merge: state, counts and links of one',
    description:
      'While it is open it follows its branches: when one goes on, the merge is made anew and choices for the same three sides are kept.',
    request: { params: mergeParams },
    responses: { 200: { description: 'The merge', schema: mergeSchema }, 202: computing },
    handler: async ({ params: { id, mid }, principal, waitSeconds, signal }) => {
      await registry.visible(id, principal);
      const look = await merges.get(id, mid, { waitSeconds, signal });
      return reply({ merges, names }, look, waitSeconds);
    },
  });
}

const diffQuery = z.strictObject({
  ...diffWishes,
  unit: z.string().max(100).optional().describe('What the source changed in this unit, instead'),
});

/** Fails with what the changes of a unit are not told by. */
function checkUnitWishes({ values, sheet, kinds }: z.output<typeof diffQuery>): void {
  const asked = Object.entries({ values: values === 'true' || undefined, sheet, kinds });
  const errors = asked.flatMap(([name, wish]) => {
    const message = 'This is not taken together with unit.';
    return wish === undefined ? [] : [{ pointer: `?${name}`, code: 'not_together', message }];
  });
  const [first] = errors;
  if (!first) return;
  throw new Failure('invalidRequest', {
    detail: `${first.pointer}: ${first.message}`,
    hint: 'Leave it out: a unit is told as a whole.',
    errors,
  });
}

function diffRoute({ merges, diffs, unattributed, registry }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/merges/:mid/diff',
    scope: 'read',
    tag,
    summary: 'Merge diff: what a merge does to its target',
    description:
      'From the target as it is to what it becomes: open conflicts count as settled for ours. Of an applied merge what it did.',
    request: { params: mergeParams, query: diffQuery },
    produces: diffTypes,
    example: { query: 'values=true' },
    responses: { 200: { description: 'The differences', schema: diffAnswer } },
    handler: async (call) => {
      const { id, mid } = call.params;
      await registry.visible(id, call.principal);
      const { signal, query } = call;
      const { unit } = query;
      const how = { origins: unattributed, fixed: {} };
      if (unit !== undefined) {
        checkUnitWishes(query);
        const look = await merges.decided(id, mid, { signal });
        if (!('outcome' in look)) throw closed(look.record);
        const compared = await merges.unitChanges.of(look, unit);
        return diffReply(call, compared, { ...how, fixed: { unit } });
      }
      const ends = await merges.effectOf(id, mid, { signal });
      const { sheet, values } = query;
      const kinds = wantedKinds(query);
      const wish = { workbookId: id, kinds, sheet, values: values === 'true', signal };
      return diffReply(call, await diffs.compareWhole(wish, ends), how);
    },
  });
}

function unitsRoute({ merges, decisions, registry }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'PUT',
    path: '/v1/workbooks/:id/merges/:mid/units',
    scope: 'write',
    tag,
    summary: 'Merge units: group the changes, and take or leave each group',
    description:
      'A rejected unit is left out, and not proposed again; a deferred one waits on a branch `<source>/deferred-<mid>`.',
    request: { params: mergeParams, body: unitsBody },
    example: {
      body: {
        groups: [
          { id: 'layout', members: [{ kind: 'format.*' }], decision: 'reject' },
          { id: 'rest', members: ['*'], decision: 'accept' },
        ],
      },
    },
    responses: {
      200: {
        description: 'The units',
        schema: z.strictObject({
          units: z.array(unitSchema),
          state: stateSchema,
          revision: z.int(),
          digest: z.string(),
        }),
      },
    },
    handler: async ({ params: { id, mid }, body, principal, waitSeconds, keyed }) => {
      const facts = await registry.writable(id, principal);
      const look = await decisions.regroup({ facts, id: mid, principal, run: keyed?.id }, body);
      const findings = await merges.soon(look, waitSeconds ?? patienceSeconds);
      const { state } = mergeView(look, findings);
      const digest = `sha256:${look.outcome.digest}`;
      const { revision } = look.record;
      return { value: { units: unitViews(look.outcome), state, revision, digest } };
    },
  });
}

function approveRoute({ merges, decisions, registry, names }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/merges/:mid/approve',
    scope: 'write',
    tag,
    summary: 'Approve a merge, and apply it once the policy is met',
    description:
      'With `digest` only what you have looked at is approved. Applying is atomic: the target gets all of it as one operation, or nothing.',
    bodyOptional: true,
    request: { params: mergeParams, body: approvalBody },
    example: { body: { comment: 'Checked against the ledger' } },
    responses: { 200: { description: 'The merge', schema: mergeSchema }, 202: computing },
    handler: async ({ params: { id, mid }, body, principal, waitSeconds, keyed }) => {
      const facts = await registry.writable(id, principal);
      const look = await decisions.approve({ facts, id: mid, principal, run: keyed?.id }, body);
      return reply({ merges, names }, look, waitSeconds);
    },
  });
}

function abortRoute({ decisions, registry, names }: MergeServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/merges/:mid/abort',
    scope: 'write',
    tag,
    summary: 'Abort: give a merge up',
    description: 'Nothing of its branches changes.',
    bodyOptional: true,
    request: { params: mergeParams, body: abortBody },
    example: { body: { reason: 'Superseded' } },
    responses: { 200: { description: 'The merge', schema: mergeSchema } },
    handler: async ({ params: { id, mid }, body, principal, keyed }) => {
      const facts = await registry.writable(id, principal);
      const look = await decisions.abort(
        { facts, id: mid, principal, run: keyed?.id },
        body.reason,
      );
      return { value: await named(names, mergeView(look)) };
    },
  });
}

async function reply(
  { merges, names }: Pick<MergeServices, 'merges' | 'names'>,
  look: Look | OpenLook,
  waitSeconds = patienceSeconds,
): Promise<Reply> {
  const findings = 'outcome' in look ? await merges.soon(look, waitSeconds) : undefined;
  const value = await named(names, mergeView(look, findings));
  if (findings || isEnded(look)) return { value };
  return { status: 202, value, headers: { 'Retry-After': String(retrySeconds) } };
}

/** Adds names of actors to the timeline of a view. */
async function named<View extends { readonly timeline: readonly { readonly actor: string }[] }>(
  names: IdentityNames,
  view: View,
) {
  const nameOf = await names.of(view.timeline.map(({ actor }) => actor));
  return {
    ...view,
    timeline: view.timeline.map((entry) => ({ ...entry, by: nameOf(entry.actor) })),
  };
}
