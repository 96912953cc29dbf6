import type { PostToWitness } from './witnesses.ts';

/** A witness that is slower is passed over: others wait for the checkpoint. */
const witnessMilliseconds = 1_000;
const answerBytesMost = 65_536;

export const postToWitness: PostToWitness = async (url, body) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(witnessMilliseconds),
  });
  const text = await readText(answer.body, url);
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text };
};

/** Reads no more than an answer may have: a second is enough for more than memory holds. */
async function readText(body: Response['body'], url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    byteCount += chunk.length;
    if (byteCount > answerBytesMost) throw new Error(`${url} answers too much`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
