import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Asks a service that may be killed meanwhile; undefined when it was gone before it answered. */
export async function ask(
  url: string,
  {
    credential,
    method = 'GET',
    body,
  }: { credential?: string; method?: string; body?: object } = {},
): Promise<Answer | undefined> {
  const headers = new Headers();
  if (credential !== undefined) headers.set('authorization', `Bearer ${credential}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url, { method, headers, ...sent });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    // fetch says so of every connection that breaks; what is ours to see passes.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export async function post(url: string, body: object, credential?: string): Promise<unknown> {
  return sure(url, await ask(url, { method: 'POST', body, ...(credential && { credential }) }));
}

export async function get(url: string, credential: string): Promise<unknown> {
  return sure(url, await ask(url, { credential }));
}

function sure(url: string, answer: Answer | undefined): unknown {
  if (answer !== undefined && answer.status < 300) return answer.json;
  throw new Error(`${url} answered ${JSON.stringify(answer)}`);
}

/** The embedded PostgreSQL of a data directory, which outlives a killed service. */
export async function databaseUrl(dataDirectory: string): Promise<string> {
  const postmaster = await findRunningPostmaster(join(dataDirectory, 'postgres'));
  if (!postmaster) throw new Error('PostgreSQL does not run');
  const password = await readFile(join(dataDirectory, 'postgres.password'), 'utf8');
  return `postgres://quire:${password.trim()}@127.0.0.1:${postmaster.port}/quire`;
}
