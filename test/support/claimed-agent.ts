import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

interface Letter {
  readonly to: string;
  readonly code: string;
  readonly deny: string;
}

interface Data {
  readonly credential: string;
  readonly claim_token: string;
  readonly user_id: string;
}

/** An agent with the scope account, because a person has claimed it. */
export interface ClaimedAgent {
  readonly credential: string;
  readonly userId: string;
  readonly email: string;
}

export interface UnclaimedAgent {
  readonly credential: string;
  readonly claimToken: string;
}

export interface ClaimOptions {
  readonly email?: string;
  readonly link?: boolean;
}

/** Registers an agent and claims it, with the code from the page of letters. */
export async function claimedAgent(url: string, options: ClaimOptions = {}): Promise<ClaimedAgent> {
  return claim(url, await unclaimedAgent(url), options);
}

/** An agent that nobody has claimed yet. */
export async function unclaimedAgent(url: string): Promise<UnclaimedAgent> {
  const { credential, claim_token } = await post(`${url}/agent/auth`, { type: 'anonymous' });
  return { credential, claimToken: claim_token };
}

export async function claim(
  url: string,
  { claimToken: claim_token }: UnclaimedAgent,
  { email = newEmail(), link = true }: ClaimOptions = {},
): Promise<ClaimedAgent> {
  const before = (await lettersOf(url)).find(({ to }) => to === email);
  await post(`${url}/agent/auth/claim`, { claim_token, email, link });
  const { code: otp } = await letterTo(url, email, before?.code);
  const done = await post(`${url}/agent/auth/claim/complete`, { claim_token, otp });
  return { credential: done.credential, userId: done.user_id, email };
}

export function newEmail(): string {
  return `p${randomBytes(6).toString('hex')}@example.com`;
}

/** Returns the latest letter to an address; waits for one other than `after`. */
export async function letterTo(url: string, email: string, after?: string): Promise<Letter> {
  for (let count = 0; count < 400; count++) {
    const letter = (await lettersOf(url)).find(({ to, code }) => to === email && code !== after);
    if (letter !== undefined) return letter;
    await sleep(25);
  }
  throw new Error(`no letter came to ${email}`);
}

async function lettersOf(url: string): Promise<readonly Letter[]> {
  const answer = await fetch(`${url}/_dev/mail`);
  return ((await answer.json()) as { letters: Letter[] }).letters;
}

async function post(url: string, body: unknown): Promise<Data> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { ok, data } = (await answer.json()) as { ok: boolean; data: Data };
  if (!ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}`);
  return data;
}
