import type { Addresses } from '../../model/addresses.ts';
import { codeLimits } from '../../model/limits.ts';
import { showCode } from '../one-time-code.ts';

/** A letter as it is stored in the outbox, sealed. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Value of the header X-Claim-Attempt. */
  readonly attemptId: string;
}

export interface CodeLetter {
  readonly to: string;
  readonly code: string;
  readonly attemptId: string;
  readonly denyToken: string;
  readonly purpose: 'merge' | 'link' | 'key' | 'sign-in';
  readonly clientName: string | undefined;
  readonly address: string;
  readonly at: Date;
}

/** Consequence of passing a code on, told to its reader, by the purpose of the code. */
const consequences: Readonly<Record<CodeLetter['purpose'], string>> = {
  merge:
    'Whoever enters it merges this agent into your account: the agent gets a key of your whole account, with the rights to read, to write and to manage it.',
  link: 'Whoever enters it links this agent to your account: the agent keeps its own workbooks, which you see too, and draws on your plan. It may read, write and manage its own.',
  key: 'Whoever enters it gets a key of your whole account, with the rights to read, to write and to manage it.',
  'sign-in': 'Whoever enters it is signed in as you.',
};

/**
 * Returns a letter. Its text is fixed; what a stranger chose is one line of printable characters.
 */
export function codeLetter(letter: CodeLetter, addresses: Addresses): Letter {
  const { to, code, attemptId, purpose } = letter;
  const shown = showCode(code);
  const who = purpose === 'sign-in' ? 'Somebody' : clientText(letter.clientName);
  const asked = `${who} asked for it at ${letter.at.toISOString()} from ${letter.address}.`;
  const deny = `${addresses.siteUrl}/claim/deny?token=${letter.denyToken}`;
  const paragraphs = [
    `Your code: ${shown}`,
    asked,
    consequences[purpose],
    `It counts for ${codeLimits.lifeMinutes} minutes. Do not give this code to anybody who did not ask for it while you were watching.`,
    `If this was not you: ${deny}`,
  ];
  const html = paragraphs
    .map((text) => `<p>${escapeHtml(text).replace(shown, `<strong>${shown}</strong>`)}</p>`)
    .join('\n');
  return {
    to,
    subject: `Your code: ${shown}`,
    text: `${paragraphs.join('\n\n')}\n`,
    html: html.replace(escapeHtml(deny), `<a href="${escapeHtml(deny)}">${escapeHtml(deny)}</a>`),
    attemptId,
  };
}

const clientNameLength = 60;

function clientText(name: string | undefined): string {
  const printable = (name ?? '').replaceAll(/[^\p{L}\p{N} ._-]/gu, '').trim();
  const short = printable.slice(0, clientNameLength);
  return short === '' ? 'An agent' : `An agent that calls itself "${short}"`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
