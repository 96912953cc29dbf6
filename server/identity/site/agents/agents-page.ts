import { html } from '../page.ts';
import type { Markup } from '../page.ts';
import { eventInWords } from './event-words.ts';
import type { OwnAgent, OwnEvent, OwnGrant, OwnKey } from './sql.ts';

/** Steps that ask for a confirmation. */
export type Step = 'revokeAll' | 'unlink' | 'merge';

export const stepTitles: Readonly<Record<Step, string>> = {
  revokeAll: 'Revoke everything?',
  unlink: 'Unlink this agent?',
  merge: 'Merge this agent into your account?',
};

const steps: Readonly<Record<Step, { action: string; words: string; button: string }>> = {
  revokeAll: {
    action: '/agents/revoke',
    words:
      'All keys and applications of you and of your linked agents end at once. Programs that use them stop working until they get new keys. This cannot be undone.',
    button: 'Revoke everything',
  },
  unlink: {
    action: '/agents/unlink',
    words:
      'The agent keeps its workbooks, and you no longer see them. It goes on as an agent that nobody claimed: it expires when it is not used for 30 days.',
    button: 'Unlink it',
  },
  merge: {
    action: '/agents/merge',
    words:
      'The workbooks of the agent become yours, its keys end, and what it used this month counts as yours. This cannot be undone.',
    button: 'Merge it',
  },
};

/** Finished steps, as the address of the page names them. */
export const doneKinds = ['revoked', 'revokedAll', 'unlinked', 'merged'] as const;
export type Done = (typeof doneKinds)[number];

const doneInWords: Readonly<Record<Done, string>> = {
  revoked: 'It is revoked.',
  revokedAll: 'Everything is revoked: all keys and applications of you and your linked agents.',
  unlinked: 'The agent is unlinked.',
  merged: 'The agent is part of your account now.',
};

export function confirmationBody(step: Step, form: URLSearchParams): Markup {
  const { action, words, button } = steps[step];
  const fields = [...form].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<p>${words}</p>
    <form method="post" action="${action}">
      ${fields}<input type="hidden" name="sure" value="yes" />
      <button class="plain">${button}</button>
    </form>
    <p><a href="/agents">No, go back</a></p>`;
}

export interface OwnThings {
  readonly agents: readonly OwnAgent[];
  readonly keys: readonly OwnKey[];
  readonly grants: readonly OwnGrant[];
  readonly events: readonly OwnEvent[];
  readonly done: Done | undefined;
}

/** Returns a page with all that acts in the name of a person, and the forms that stop it. */
export function agentsBody(things: OwnThings, formToken: string): Markup {
  const { agents, keys, grants, events, done } = things;
  const token = html`<input type="hidden" name="form_token" value="${formToken}" />`;
  return html`${done && html`<p class="done" role="status">${doneInWords[done]}</p>`}
    <p>These act in your name. What you revoke ends at once, everywhere.</p>
    <h2>Agents</h2>
    ${agents.length === 0 ? html`<p>None yet.</p>` : agentTable(agents, token)}
    <h2>Keys of your account</h2>
    ${keys.length === 0 ? html`<p>None yet.</p>` : keyTable(keys, token)}
    <form method="post" action="/agents/keys">
      ${token}
      <label for="label">Name of a new key</label>
      <input type="text" id="label" name="label" maxlength="60" required />
      <button>Make a key</button>
    </form>
    <h2>Applications</h2>
    ${grants.length === 0 ? html`<p>None yet.</p>` : grantTable(grants, token)}
    <h2>Everything at once</h2>
    <form method="post" action="/agents/revoke">
      ${token}
      <input type="hidden" name="all" value="yes" />
      <button class="plain">Revoke all keys and applications of you and your linked agents</button>
    </form>
    <form method="post" action="/logout/all">
      ${token}
      <button class="plain">Sign out everywhere</button>
    </form>
    <h2>What happened lately</h2>
    ${eventTable(events)}`;
}

function table(heads: readonly string[], rows: readonly Markup[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function agentTable(agents: readonly OwnAgent[], token: Markup): Markup {
  const rows = agents.map(
    ({ userId, name, relation, keyCount, lastUsed }) =>
      html`<tr>
        <td>${name}<br /><code class="quiet">${userId}</code></td>
        <td>${relation}</td>
        <td>${shown(lastUsed)}</td>
        <td>${relation === 'linked' && agentForms(userId, keyCount, token)}</td>
      </tr>`,
  );
  return table(['Agent', 'Relation', 'Last used', 'Actions'], rows);
}

function agentForms(userId: string, keyCount: number, token: Markup): Markup {
  const id = html`${token}<input type="hidden" name="agent" value="${userId}" />`;
  return html`${
      keyCount > 0 &&
      html`<form method="post" action="/agents/revoke">
        ${id}<button class="plain">Revoke</button>
      </form>`
    }
    <form method="post" action="/agents/unlink">${id}<button class="second">Unlink</button></form>
    <form method="post" action="/agents/merge">
      ${id}<button class="second">Merge into my account</button>
    </form>`;
}

function keyTable(keys: readonly OwnKey[], token: Markup): Markup {
  const rows = keys.map(
    ({ id, label, last4, created, lastUsed }) =>
      html`<tr>
        <td>${label}<br /><code class="quiet">…${last4}</code></td>
        <td>${shown(created)}</td>
        <td>${shown(lastUsed)}</td>
        <td>
          <form method="post" action="/agents/revoke">
            ${token} <input type="hidden" name="key" value="${id}" /><button class="plain">
              Revoke
            </button>
          </form>
        </td>
      </tr>`,
  );
  return table(['Key', 'Made', 'Last used', 'Actions'], rows);
}

function grantTable(grants: readonly OwnGrant[], token: Markup): Markup {
  const rows = grants.map(
    ({ grantId, name, scopes, created }) =>
      html`<tr>
        <td>${name}</td>
        <td>${scopes.join(', ')}</td>
        <td>${shown(created)}</td>
        <td>
          <form method="post" action="/agents/revoke">
            ${token} <input type="hidden" name="grant" value="${grantId}" /><button class="plain">
              Revoke
            </button>
          </form>
        </td>
      </tr>`,
  );
  return table(['Application', 'Access', 'Since', 'Actions'], rows);
}

function eventTable(events: readonly OwnEvent[]): Markup {
  const rows = events.map(
    ({ kind, name, address, at }) =>
      html`<tr>
        <td>${shown(at)}</td>
        <td>${eventInWords(kind)}</td>
        <td>${name ?? ''}</td>
        <td>${address ?? ''}</td>
      </tr>`,
  );
  return table(['When', 'Event', 'Account', 'From'], rows);
}

function shown(at: Date | null): string {
  return at === null ? 'never' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
