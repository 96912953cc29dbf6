import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { createDatabase } from '../support/postgres.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

interface Answer {
  readonly data?: { readonly credential?: string; readonly claim_token?: string };
}

t.test('no secret that was used is in the log, however much is logged', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = { DATABASE_URL: await createDatabase(), LOG_LEVEL: 'trace', DEV_HOOKS: 'on' };
  const service = await ServiceProcess.start(t, folder, settings, doubleProgram);
  const { url } = service;
  const post = async (path: string, body: unknown, credential?: string): Promise<Answer> => {
    const headers = {
      'content-type': 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Answer;
  };
  const secrets: string[] = [];
  const keep = ({ data }: Answer): { credential: string; claim_token: string } => {
    const { credential = '', claim_token = '' } = data ?? {};
    secrets.push(...[credential, claim_token].filter((secret) => secret !== ''));
    return { credential, claim_token };
  };
  const { credential, claim_token } = keep(await post('/agent/auth', { type: 'anonymous' }));
  const email = newEmail();
  await post('/agent/auth/claim', { claim_token, email });
  const { code, deny } = await letterTo(url, email);
  secrets.push(new URL(deny).searchParams.get('token') ?? '');
  await post('/agent/auth/claim/complete', { claim_token, otp: code.replace(/^./, 'x') });
  const claimed = keep(await post('/agent/auth/claim/complete', { claim_token, otp: code }));
  keep(await post('/agent/auth/rotate', {}, claimed.credential));
  // Refusals and faults are logged with more than what went well.
  await post('/agent/auth/rotate', { credential }, credential);
  await post('/v1/workbooks', { name: claimed.credential, nonsense: claim_token }, 'wbk_live_x');
  await post('/agent/auth/revoke', { credential: claimed.credential });
  await fetch(deny, { method: 'POST' });
  await sleep(200);
  await service.stop();
  const log = service.logLines.join('\n');
  t.ok(service.logLines.length > 8, 'something was logged');
  t.ok(secrets.length >= 5);
  for (const secret of secrets) t.notOk(log.includes(secret), `${secret.slice(0, 4)}…`);
  t.notMatch(log, new RegExp(`\\b${code.slice(0, 3)} ?${code.slice(3)}\\b`), 'nor the code');
});
