import { useState } from 'preact/hooks';

import type { ProtectedBranch } from '../../../server/model/policy.ts';
import { protectionOf } from '../../../server/model/protection.ts';
import { actorText, nameOf, refusalOf, type Access } from '../shell/access.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { Applied } from './applied.tsx';
import type { Deciding } from './conflicts.tsx';
import type { GivenApproval, MergeView, OwnedPart } from './review.ts';
import { approvalText, obstacleText } from './words.ts';

/** Obstacles that an approval may remove. */
const approvedAway: ReadonlySet<string> = new Set(['approvals', 'owners']);

interface ApprovalParts {
  readonly book: string;
  readonly view: MergeView;
  /** Undefined until it is known. */
  readonly access: Access | undefined;
  readonly decide: Deciding;
}

/** The last step of a review: the approvals that are wanted and given, and how it ends. */
export function Approval({ book, view, access, decide }: ApprovalParts) {
  const { state, policy, digest, refusal } = view;
  if (state === 'merged') return <Applied book={book} view={view} access={access} />;
  if (state === 'aborted') return <GivenUp view={view} />;
  if (!policy || digest === undefined) return <p role="status">It is being computed.</p>;
  const { blockedBy, owners = [] } = policy;
  return (
    <section aria-labelledby="approve">
      <h2 id="approve">Approve</h2>
      {refusal !== undefined && (
        <p role="alert" class="banner alarm">
          None of the choices counts: {refusal}
        </p>
      )}
      <Wanted view={view} access={access} />
      {owners.length > 0 && <Owners owners={owners} access={access} />}
      {view.approvals && view.approvals.length > 0 && (
        <Given approvals={view.approvals} nameOf={nameIn(view, access)} />
      )}
      {blockedBy.length > 0 && <p>It waits for: {blockedBy.map(obstacleText).join(', ')}.</p>}
      <Deciders {...{ view, access, decide }} />
      <p class="quiet">
        Approves exactly what is shown (<code title={digest}>{digest.slice(0, 19)}…</code>): if a
        branch goes on meanwhile, you are asked again.
      </p>
    </section>
  );
}

/** Says how many approvals the policy wants, and whose count. */
function Wanted({ view, access }: Pick<ApprovalParts, 'view' | 'access'>) {
  const { policy, target } = view;
  if (!policy || policy.required === 0) return null;
  const { approvals, required } = policy;
  const protection = access && protectionOf(access.policy, target.branch);
  const isMissing = protection !== undefined && approvals < required;
  const among = protection?.approvers.map((entry) => actorText(access, entry)) ?? [];
  const limits = protection ? limitsOf(protection) : [];
  return (
    <p>
      {approvals} of {required} approvals are given.
      {isMissing && among.length > 0 && ` Those of ${among.join(', ')} count.`}
      {isMissing && limits.length > 0 && ` Not counted: ${limits.join(', ')}.`}
    </p>
  );
}

/** Returns whose approvals do not count. */
function limitsOf(protection: ProtectedBranch): readonly string[] {
  const { allowSelfApproval, requireLastPushApproval, allowAgentApproval } = protection;
  return [
    ...(allowSelfApproval ? [] : ['who proposed it']),
    ...(requireLastPushApproval ? ['who wrote last to the source'] : []),
    ...(allowAgentApproval ? [] : ['agents']),
  ];
}

interface OwnerParts extends Pick<ApprovalParts, 'access'> {
  readonly owners: readonly OwnedPart[];
}

/** Parts that have owners, and which of them still have to approve. */
function Owners({ owners, access }: OwnerParts) {
  return (
    <ul class="list" aria-label="Owners of what it changes">
      {owners.map(({ match, approvers, approved }) => {
        const { sheet, range, table } = match;
        const place = table ?? [sheet, range].filter(Boolean).join('!');
        return (
          <li key={place}>
            <strong>{place}</strong>:{' '}
            {approvers.map((entry) => actorText(access, entry)).join(' or ')}{' '}
            <span class="state">{approved ? 'has approved' : 'is missing'}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns a function for names of users, of whom the timeline knows those who have acted. */
function nameIn({ timeline }: MergeView, access: Access | undefined) {
  return (id: string) => timeline.find(({ actor }) => actor === id)?.by ?? nameOf(access, id);
}

interface GivenParts {
  readonly approvals: readonly GivenApproval[];
  readonly nameOf: (userId: string) => string;
}

function Given({ approvals, nameOf: name }: GivenParts) {
  return (
    <ul class="list" aria-label="Approvals and remarks">
      {approvals.map(({ by, at, event, stale, comment }) => (
        <li key={`${by} ${at}`}>
          <strong>{name(by)}</strong> {approvalText(event)}{' '}
          <span class="quiet">
            <RelativeTime at={at} />
          </span>{' '}
          {stale && event === 'approve' && <span class="state">for what it was before</span>}
          {comment !== undefined && comment !== '' && <div class="note">{comment}</div>}
        </li>
      ))}
    </ul>
  );
}

/** Buttons that end a review, with a remark that goes along. */
function Deciders({ view, access, decide }: Omit<ApprovalParts, 'book'>) {
  const [remark, setRemark] = useState('');
  const locked = refusalOf(access, 'approve');
  if (locked !== undefined) return <p class="lock">{locked}</p>;
  const { digest, state, policy: { blockedBy = [] } = {} } = view;
  const mayWrite = access !== undefined && refusalOf(access, 'write') === undefined;
  const comment = remark.trim();
  const say = (event: string) => {
    decide('approve', { digest, event, ...(comment !== '' && { comment }) });
    setRemark('');
  };
  const isAlone = !blockedBy.some((one) => approvedAway.has(one));
  return (
    <>
      <label class="about">
        A remark
        <textarea
          rows={2}
          value={remark}
          onInput={(event) => setRemark(event.currentTarget.value)}
        />
      </label>
      <p class="actions">
        <button
          id="approve-button"
          type="button"
          class="main"
          disabled={blockedBy.some((one) => !approvedAway.has(one))}
          onClick={() => say('approve')}
        >
          {isAlone ? 'Approve and merge' : 'Approve'}
        </button>
        {state === 'outdated' && (
          <button type="button" class="main" onClick={() => decide('resolve', { refresh: true })}>
            Compute it anew
          </button>
        )}
        <button type="button" class="second" onClick={() => say('request_changes')}>
          Ask for changes
        </button>
        <button
          type="button"
          class="second"
          disabled={comment === ''}
          onClick={() => say('comment')}
        >
          Only say so
        </button>
        {mayWrite && (
          <button type="button" class="second" onClick={() => decide('abort', { reason: comment })}>
            Give it up
          </button>
        )}
      </p>
    </>
  );
}

function GivenUp({ view: { timeline } }: Pick<ApprovalParts, 'view'>) {
  const ended = timeline.findLast(({ event }) => event === 'aborted');
  return (
    <p role="status">
      This merge was given up{ended && ` by ${ended.by}`}.
      {ended?.detail !== undefined && ended.detail !== '' && ` ${ended.detail}`}
    </p>
  );
}
