import t, { type Test } from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { makeSecret } from '../../server/identity/credential.ts';
import { Book } from '../support/book.ts';
import { LiveClient } from '../support/live-client.ts';
import { refusedHandshake } from '../support/refused-handshake.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** The waiting time of a problem, or of the envelope of the identity service. */
function waitOf({ json }: TestAnswer): unknown {
  const { retry_after, data } = json as { retry_after?: number; data?: { retry_after: number } };
  return retry_after ?? data?.retry_after;
}

function isTold(t: Test, answer: TestAnswer, policy: string): void {
  const { status, headers } = answer;
  const [name = ''] = policy.split(';');
  const wait = waitOf(answer);
  t.equal(status, 429, `${policy}: ${answer.text.slice(0, 200)}`);
  t.equal(headers.get('ratelimit-policy'), policy);
  t.equal(headers.get('ratelimit'), `${name};r=0;t=${String(wait)}`);
  t.equal(headers.get('retry-after'), String(wait));
}

/** Asks until it is refused by a limit. */
async function refused(ask: () => Promise<TestAnswer>): Promise<TestAnswer> {
  for (let count = 0; count < 3_000; count++) {
    const answer = await ask();
    if (answer.status === 429) return answer;
  }
  throw new Error('nothing was refused');
}

t.test('each refusal by a limit says which one it is and when there is room', async (t) => {
  const service = await TestService.start(t, { HOST: '0.0.0.0', RATE_LIMITS: 'on' });
  const book = await Book.create(service);
  const post = (rest: string) => book.ask(rest, { body: {} });

  isTold(t, await refused(() => post('/wake')), '"wake";q=6;w=60');
  isTold(t, await refused(() => post('/verify')), '"verify";q=6;w=60');

  for (let count = 0; count < 20; count++) await LiveClient.open(book);
  const events = await book.ask('/branches/main/events');
  isTold(t, events, '"sockets";q=20;qu="concurrent-requests"');
  const authorization = `Bearer ${book.credential}`;
  const path = `${service.url}/v1/workbooks/${book.id}/ws`;
  const socket = await refusedHandshake(path, { authorization });
  t.equal(socket.status, 429);
  t.match(socket.headers, {
    'ratelimit-policy': '"sockets";q=20;qu="concurrent-requests"',
    ratelimit: '"sockets";r=0;t=30',
    'retry-after': '30',
  });

  const guess = () => makeSecret('wbk_live_', realEnvironment);
  const unknown = await refused(() => service.request('/v1/workbooks', { credential: guess() }));
  isTold(t, unknown, '"unknown-credentials";q=60;w=60');

  const data = await service.request('/agent/auth', { body: { type: 'anonymous' } });
  const { claim_token } = (data.json as { data: { claim_token: string } }).data;
  const claim = (email: string) =>
    service.request('/agent/auth/claim', { body: { claim_token, email } });
  t.equal((await claim('a@example.com')).status, 200);
  isTold(t, await claim('b@example.com'), '"code";q=1;w=60');
  const complete = () =>
    service.request('/agent/auth/claim/complete', { body: { claim_token, otp: '123' } });
  isTold(t, await refused(complete), '"address";q=30;w=3600');
  const register = () => service.request('/agent/auth', { body: { type: 'anonymous' } });
  isTold(t, await refused(register), '"registration";q=5;w=3600');
  isTold(t, await refused(() => book.ask('')), '"read";q=300;w=60');
  isTold(t, await refused(() => post('/branches/main/ops')), '"write";q=120;w=60');
});
