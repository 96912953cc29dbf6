import type { z } from 'zod';

import { findingView } from '../../merges/findings/finding-view.ts';
import { authorsOf } from '../../merges/authors.ts';
import { viewOf } from '../../merges/conflict-view.ts';
import { listedMerge, mergeView, patienceSeconds, unitViews } from '../../merges/merge-view.ts';
import type { Look, OpenLook } from '../../merges/look.ts';
import { proposedWords } from '../../merges/proposal.ts';
import { Failure } from '../../model/failure.ts';
import { isObject } from '../../model/plain-json.ts';
import { protectionOf } from '../../model/protection.ts';
import { referenceName } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookFacts } from '../../workbooks/registry.ts';
import type { Questions, Tool } from '../catalogue.ts';
import type { McpContext } from '../context.ts';
import type { JsonObject } from '../protocol/message.ts';
import type { McpServices } from '../services.ts';
import { Targets } from './targets.ts';
import { diffPage } from './diff-tool.ts';
import { mergeInput, mergeOutput, type MergeGiven } from './merge-shapes.ts';
import { tool } from './tool.ts';

type Shown = z.input<typeof mergeOutput>;

interface Asked {
  readonly given: MergeGiven;
  readonly facts: WorkbookFacts;
  readonly principal: Principal;
}

const actions = {
  open: 'write',
  show: 'read',
  resolve: 'write',
  approve: 'approve',
  complete: 'approve',
  abort: 'write',
} as const;

export function mergeTool(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'merge',
    title: 'Merge branches',
    description:
      'Proposes to merge a branch into another, shows and settles conflicts, approves and completes. Lines, cells and records are compared by identity: what only one side changed is never lost. Only complete, and open with apply auto, write to the target.',
    input: mergeInput,
    output: mergeOutput,
    annotations: { readOnlyHint: false, destructiveHint: true },
    isWrite: ({ action }) => action !== 'show',
    run: async (given, context) => {
      const { principal, progress } = context;
      const facts = await targets.workbook(given.workbook, actions[given.action], principal);
      const question = await confirmation(services, { given, facts, principal }, context);
      if (question) return question;
      progress(0, 1, given.action);
      const shown = await acted(services, { given, facts, principal });
      return { shown, text: textOf(shown) };
    },
  });
}

async function acted(services: McpServices, asked: Asked): Promise<Shown> {
  const { given, facts, principal } = asked;
  const { merges, decisions } = services;
  if (given.action === 'open') return propose(services, asked);
  if (given.action === 'show' && given.merge_id === undefined) return list(services, asked);
  const id = mergeId(given);
  const who = { facts, id, principal };
  switch (given.action) {
    case 'show':
      return shownMerge(services, asked, await merges.get(facts.id, id));
    case 'resolve': {
      const { resolutions, bulk, refresh, revision, comment } = given;
      const request = { resolutions, bulk, refresh, revision, comment };
      const { look, count } = await decisions.resolve(who, request);
      return { ...(await shownMerge(services, asked, look)), resolved: count };
    }
    case 'approve':
    case 'complete': {
      const { digest, comment } = given;
      const request = { digest, comment, event: 'approve', units: null } as const;
      const look = await decisions.approve(who, { ...request, apply: given.action === 'complete' });
      return shownMerge(services, asked, await logged(services, facts.id, look));
    }
    case 'abort':
      return shownMerge(services, asked, await decisions.abort(who, given.reason));
  }
}

/**
 * Asks the user of the client before a write to a protected branch, if the client can ask. The
 * consent is for a digest: another outcome needs another.
 */
async function confirmation(
  { merges, policies }: McpServices,
  { given, facts }: Asked,
  { capabilities, answers, state }: McpContext,
): Promise<Questions | undefined> {
  if (given.action !== 'complete' || !('elicitation' in capabilities)) return undefined;
  const look = await merges.get(facts.id, mergeId(given));
  if (!('outcome' in look)) return undefined;
  const target = look.names.nameOf(look.record.targetNo);
  const protection = protectionOf(await policies.policyOf(facts.id), target);
  if (!protection || protection.directWrites === 'allow') return undefined;
  const digest = `sha256:${look.outcome.digest}`;
  const answer = state === digest ? answers?.['complete'] : undefined;
  if (!isObject(answer))
    return { inputRequests: { complete: form(look, target) }, requestState: digest };
  const { action, content } = answer;
  if (action === 'accept' && isObject(content) && content['complete'] === true) return undefined;
  throw new Failure('policy', {
    detail: `The person in front of the client did not agree to write to ${target}.`,
    hint: 'Ask them what should be different; nothing was written.',
  });
}

function form({ record }: OpenLook, target: string): JsonObject {
  const properties = { complete: { type: 'boolean', title: 'Write it to the branch' } };
  const requestedSchema = { type: 'object', properties, required: ['complete'] };
  const message = `${record.request.title}: write this merge to the protected branch ${target}?`;
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}

function mergeId({ merge_id: id, action }: MergeGiven): string {
  if (id !== undefined) return id;
  const message = `${action} needs the merge_id that open answered.`;
  throw new Failure('invalidRequest', {
    detail: `/merge_id: This is missing; ${message}`,
    errors: [{ pointer: '/merge_id', code: 'required', message }],
  });
}

async function propose(services: McpServices, asked: Asked): Promise<Shown> {
  const { given, facts, principal } = asked;
  const { merges, decisions, policies } = services;
  const { source, revert_of: revertOf, target, strategy, granularity } = given;
  if ((source === undefined) === (revertOf === undefined)) {
    const message = 'open needs a source, or with revert_of a merge to take back.';
    const errors = [{ pointer: '/source', code: 'required', message }];
    throw new Failure('invalidRequest', { detail: `/source: ${message}`, errors });
  }
  const policy = await policies.policyOf(facts.id);
  const squash = policy.merge.squash === 'required';
  const request = {
    source,
    revertOf,
    target,
    ...proposedWords({ ...given, revertOf }),
    strategy: strategy ?? policy.merge.strategy,
    squash,
    apply: given.apply,
    ...(granularity && { granularity }),
  };
  const look = await merges.create(facts, request, { principal, isTrial: false });
  const isReady = given.apply === 'auto' && 'outcome' in look;
  const made = isReady ? await decisions.applyReady(look, { facts, principal }) : look;
  return shownMerge(services, asked, await logged(services, facts.id, made));
}

/** An applied one with its place in the transparency log, which is known a moment later. */
async function logged(
  { merges }: McpServices,
  workbookId: string,
  look: Look | OpenLook,
): Promise<Look | OpenLook> {
  return look.record.state === 'merged' ? merges.get(workbookId, look.record.id) : look;
}

async function list(
  { merges, listedStates }: McpServices,
  { given, facts }: Asked,
): Promise<Shown> {
  const { offset, limit } = given;
  const { total, looks } = await merges.list(facts.id, { offset, limit });
  const states = await listedStates.of(looks);
  const items = looks.map((look, index) => {
    const listed = listedMerge(look);
    return summary({ ...listed, state: states[index] ?? listed.state });
  });
  const end = offset + items.length;
  return { merges: items, next: end < total ? { ...given, offset: end } : null };
}

function summary({ id, title, state, source, target }: ReturnType<typeof listedMerge>) {
  return {
    merge_id: id,
    title,
    state,
    source: referenceName(source.branch, source.seq),
    target: referenceName(target.branch, target.seq),
  };
}

async function shownMerge(
  services: McpServices,
  { given }: Asked,
  look: Look | OpenLook,
): Promise<Shown> {
  const isOpen = 'outcome' in look;
  const findings = isOpen ? await services.merges.soon(look, patienceSeconds) : undefined;
  const view = mergeView(look, findings);
  const policy = 'policy' in view ? view.policy : undefined;
  const merge = {
    ...summary(view),
    revision: view.revision,
    digest: 'digest' in view ? view.digest : null,
    blocked_by: policy ? [...policy.blockedBy] : [],
    approvals: policy ? { required: policy.required, given: policy.approvals } : null,
    changes: 'summary' in view ? { ...view.summary.changes } : null,
    units: isOpen
      ? unitViews(look.outcome).map(({ id, title, decision, changes }) => ({
          id,
          title,
          decision,
          changes,
        }))
      : [],
    result: resultOf(view.result, {
      ...services.addresses,
      workbookId: look.record.workbookId,
    }),
  };
  if (!isOpen) return { merge, next: null, ...(await diffOf(services, given, look)) };
  const { next, ...conflicts } = await conflictsOf(services, given, look);
  const found = findings?.list.map((finding) => ({ ...findingView(finding, look.outcome) })) ?? [];
  return {
    merge,
    conflicts,
    findings: found.slice(0, given.limit),
    ...(await diffOf(services, given, look)),
    next,
  };
}

/** The proof is of the operation that applied it: a file that is checked without this service. */
function resultOf(
  result: ReturnType<typeof listedMerge>['result'],
  { baseUrl, workbookId }: { readonly baseUrl: string; readonly workbookId: string },
) {
  if (!result) return null;
  const { branch, seq, stateHash, leafHash } = result;
  const operation = `branch=${encodeURIComponent(branch)}&seq=${seq}`;
  return {
    ref: referenceName(branch, seq),
    state_hash: stateHash,
    leaf_hash: leafHash,
    proof: `${baseUrl}/v1/workbooks/${workbookId}/proofs?${operation}`,
  };
}

async function conflictsOf(
  { conflicts: reader, origins }: McpServices,
  given: MergeGiven,
  look: OpenLook,
) {
  const { offset, limit } = given;
  const all = [...look.outcome.conflicts.values()];
  const shown = all.slice(offset, offset + limit);
  const authors = await authorsOf(look, shown, origins);
  const details = await reader.detailsOf(look, shown);
  const items = shown.map((one) => {
    const view = viewOf(one, look.outcome, { ...authors(one), ...details(one) });
    const { base, ours, theirs, choices } = view;
    const sides = { base: { ...base }, ours: { ...ours }, theirs: { ...theirs } };
    return { ...view, ...sides, choices: [...choices] };
  });
  const end = offset + items.length;
  const open = all.filter(({ isSettled }) => !isSettled).length;
  const { workbook } = given;
  const next = { workbook, action: 'show', merge_id: look.record.id, offset: end, limit };
  return { open, total: all.length, items, next: end < all.length ? next : null };
}

async function diffOf(services: McpServices, given: MergeGiven, { record }: Look | OpenLook) {
  if (!given.diff || record.state === 'aborted') return {};
  const { workbookId, id } = record;
  const ends = await services.merges.effectOf(workbookId, id);
  const wish = { workbookId, kinds: undefined, sheet: undefined, values: false };
  const compared = await services.diffs.compareWhole(wish, ends);
  const entries = compared.entries.slice(0, compared.entries.length);
  const page = await diffPage(compared, services.unattributed, { entries, offset: 0, limit: 200 });
  return { diff: { summary: { ...page.summary }, text: page.text, total: page.total } };
}

/** Returns the essence of a merge, for models that are shown text alone. */
function textOf({ merge, conflicts, findings = [], merges, diff }: Shown): string {
  if (!merge) return JSON.stringify(merges ?? []);
  const conflictLines = (conflicts?.items ?? []).map((one) => {
    const { id, status, text, base, ours, theirs, choices } = one;
    const sides = JSON.stringify({ base, ours, theirs });
    return `${status} conflict ${id}: ${text} ${sides} choices: ${choices.join(', ')}`;
  });
  const findingLines = findings.map(({ id, severity, text }) => `${severity} ${id}: ${text}`);
  const diffText = diff ? [diff.text] : [];
  return [...headLines(merge), ...conflictLines, ...findingLines, ...diffText].join('\n');
}

function headLines(merge: NonNullable<Shown['merge']>): string[] {
  const { merge_id: id, source, target, state, blocked_by: blocked, digest, result } = merge;
  const lines = [`Merge ${id}: ${source} into ${target}, ${state}.`];
  if (blocked.length > 0) lines.push(`Blocked by: ${blocked.join(', ')}.`);
  if (digest !== null) lines.push(`revision ${merge.revision}, digest ${digest}`);
  if (result) lines.push(`Applied as ${result.ref}.`, `Proof: ${result.proof}`);
  return lines;
}
