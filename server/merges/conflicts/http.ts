import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Route } from '../../http/route.ts';
import type { Origins } from '../../diffs/origins.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { authorsOf, selectConflicts } from '../authors.ts';
import { viewOf, type ConflictFilter } from '../conflict-view.ts';
import { findingFilter, findingView } from '../findings/finding-view.ts';
import type { Finding, Findings } from '../findings/findings.ts';
import type { Decisions } from '../decisions.ts';
import { mergeView, patienceSeconds } from '../merge-view.ts';
import type { OpenLook } from '../look.ts';
import type { Merges } from '../merges.ts';
import {
  conflictQuery,
  conflictPageDefault as pageDefault,
  conflictSchema,
  findingSchema,
  mergeParams,
  mergeTag as tag,
  resolutionBody,
  stateSchema,
} from '../schema.ts';
import type { ConflictReader } from './details.ts';

export interface ConflictServices {
  readonly merges: Merges;
  readonly decisions: Decisions;
  readonly registry: WorkbookRegistry;
  readonly origins: Origins;
  readonly reader: ConflictReader;
}

export function conflictRoutes(services: ConflictServices): Route[] {
  return [conflictsRoute(services), resolveRoute(services)];
}

function conflictsRoute({ merges, registry, origins, reader }: ConflictServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/merges/:mid/conflicts',
    scope: 'read',
    tag,
    summary: 'Conflicts: list what both sides changed, each in its way',
    description:
      'What the base and both sides have of each, the choices that it takes, and the one that was made. The parameters are those of `where` in a bulk resolution. An applied merge has them as they were decided.',
    produces: [ndjsonType],
    request: { params: mergeParams, query: conflictQuery },
    example: { query: 'status=open&kind=cell.*' },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          revision: z.int(),
          total: z.int().describe('That fit the filter'),
          open: z.int().describe('Of all'),
          offset: z.int(),
          limit: z.int(),
          conflicts: z.array(conflictSchema),
          violations: z.array(findingSchema).describe('Rules that only the merged state breaks'),
          effects: z.array(findingSchema).describe('Values that only the merge brings about'),
        }),
      },
    },
    handler: async ({ params: { id, mid }, query, principal, signal }) => {
      await registry.visible(id, principal);
      const look = await merges.decided(id, mid, { signal });
      const { offset, limit, ...filter } = query;
      const { revision } = look.record;
      const page = { offset, limit };
      if (!('outcome' in look)) {
        const header = { revision, total: 0, open: 0, ...page, violations: [], effects: [] };
        return { rows: { header, member: 'conflicts', items: [] } };
      }
      const { outcome } = look;
      const all = [...outcome.conflicts.values()];
      const selected = await selectConflicts(look, filter, origins);
      const wanted = all.filter(selected.isMeant);
      const open = all.filter(({ isSettled }) => !isSettled).length;
      const shown = wanted.slice(offset, offset + limit);
      const authors = selected.authors ?? (await authorsOf(look, shown, origins));
      const details = await reader.detailsOf(look, shown);
      const items = shown.map((one) => viewOf(one, outcome, { ...authors(one), ...details(one) }));
      const found = await findingsOf(reader, look, { ...filter, limit });
      const header = { revision, total: wanted.length, open, ...page, ...found };
      return { rows: { header, member: 'conflicts', items } };
    },
  });
}

/** Returns the findings that fit the filter, at most one page of each list. */
async function findingsOf(
  reader: ConflictReader,
  look: OpenLook,
  { limit, ...filter }: ConflictFilter & { readonly limit: number },
) {
  const { list } = await look.findings;
  const wanted = list.filter(findingFilter(filter, look.outcome));
  const effects = wanted.filter(isEffect).slice(0, limit);
  const violations = wanted.filter((finding) => !isEffect(finding)).slice(0, limit);
  const before = await reader.baseValues(look, effects);
  const view = (finding: Finding) =>
    findingView(finding, look.outcome, before.get(finding.id)?.value);
  return { violations: violations.map(view), effects: effects.map(view) };
}

function resolveRoute({ merges, decisions, registry, reader }: ConflictServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/merges/:mid/resolve',
    scope: 'write',
    tag,
    summary: 'Resolve conflicts, one by one or in bulk',
    description:
      'Settles conflicts by their ids, or all that a filter names, with the choices that each of them lists; `null` takes a choice back. `refresh` computes the merge anew from the heads of its branches.',
    request: { params: mergeParams, body: resolutionBody },
    example: {
      body: {
        resolutions: [{ id: 'c_9f2a00000000', choice: 'custom', input: '=B13*1.9' }],
        bulk: [{ where: { sheet: 'Plan', kind: 'cell.*' }, choice: 'ours' }],
      },
    },
    responses: {
      200: {
        description: 'What is left',
        schema: z.strictObject({
          revision: z.int(),
          state: stateSchema,
          resolved: z.int().describe('Choices that this request made or took back'),
          open: z.int(),
          reopened: z.array(z.string()).describe('Settled before, for other sides'),
          newConflicts: z.array(z.string()),
          newEffects: z
            .array(findingSchema)
            .nullable()
            .describe('Brought about by these choices; null while values are evaluated'),
          digest: z.string(),
        }),
      },
    },
    handler: async ({ params: { id, mid }, body, principal, waitSeconds, keyed }) => {
      const facts = await registry.writable(id, principal);
      const who = { facts, id: mid, principal, run: keyed?.id };
      const { before, look, count } = await decisions.resolve(who, body);
      const patience = waitSeconds ?? patienceSeconds;
      const findings = await merges.soon(look, patience);
      const known = findings && (await merges.soon(before, patience));
      const newEffects =
        findings && known ? await effectsSince(reader, look, { known, findings }) : null;
      const { state } = mergeView(look, findings);
      const conflicts = [...look.outcome.conflicts.values()];
      const open = conflicts.filter(({ isSettled }) => !isSettled);
      const reopened = open.flatMap(({ id: conflict, stored }) => (stored ? [conflict] : []));
      const earlier = before.outcome.conflicts;
      const newConflicts = open.flatMap(({ id: one }) => (earlier.has(one) ? [] : [one]));
      const { revision } = look.record;
      const digest = `sha256:${look.outcome.digest}`;
      const counts = { resolved: count, open: open.length };
      return { value: { revision, state, ...counts, reopened, newConflicts, newEffects, digest } };
    },
  });
}

/** Returns effects that differ from those before a choice, at most one page. */
async function effectsSince(
  reader: ConflictReader,
  look: OpenLook,
  { known, findings }: { readonly known: Findings; readonly findings: Findings },
) {
  const held = new Set(known.list.map(({ id, sides }) => `${id} ${sides}`));
  const isNew = ({ id, sides }: Finding) => !held.has(`${id} ${sides}`);
  const effects = findings.list.filter((one) => isEffect(one) && isNew(one)).slice(0, pageDefault);
  const base = await reader.baseValues(look, effects);
  return effects.map((one) => findingView(one, look.outcome, base.get(one.id)?.value));
}

function isEffect({ kind }: Finding): boolean {
  return kind.startsWith('effect.');
}
