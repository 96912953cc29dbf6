import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';

import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { TestService } from '../support/test-service.ts';

/** All blocks in one shell, because each uses the variables of those before it. */
async function run(
  markdown: string,
  environment: Readonly<Record<string, string>>,
  code: () => Promise<string>,
): Promise<{ status: number | null; output: string }> {
  const blocks = [...markdown.matchAll(/```bash\n([^]*?)```/g)].map(([, text = '']) => text);
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', blocks.join('\necho\n')], {
    env: { PATH: `${process.env['PATH']}`, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output: string[] = [];
  shell.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  shell.stdin.on('error', () => undefined);
  void code().then((text) => shell.stdin.end(`${text}\n`));
  const [status] = (await once(shell, 'close')) as [number | null];
  return { status, output: output.join('') };
}

t.test('who knows only our address can follow auth.md to the end', async (t) => {
  const threePorts = { LISTEN_API: '0', LISTEN_AUTH: '0', LISTEN_SITE: '0' };
  const service = await TestService.start(t, threePorts, {});
  const { authUrl, siteUrl } = service.app.addresses;
  const refused = await service.request('/v1/workbooks');
  t.equal(refused.headers.get('link'), `<${authUrl}/auth.md>; rel="service-doc"`);
  const page = await service.request('/auth.md');
  t.match(page.headers.get('content-type'), 'text/markdown; charset=utf-8');
  t.ok(page.headers.get('etag'));
  t.ok(page.text.split('\n').length <= 200, 'short enough to be read');
  t.ok(page.text.match(/```bash/g)?.length === 7);
  const email = newEmail();
  const { status, output } = await run(page.text, { EMAIL: email }, async () => {
    const { code } = await letterTo(siteUrl, email);
    return code;
  });
  t.equal(status, 0, output);
  t.match(output, /"rows":\[\[42,null\]/, 'the value was computed');
  t.match(output, /"kind":"claimed"/);
  t.match(output, /"owner":\{"user_id":"usr_/);
  t.match(output, /\{"ok":true,"data":\{"revoked":true\}\}/);
});

t.test('the documents around it name each other', async (t) => {
  const service = await TestService.start(t);
  const { url } = service;
  t.match((await service.request('/llms.txt')).text, `${url}/auth.md`);
  const security = await service.request('/.well-known/security.txt');
  t.match(security.text, /^Contact: mailto:.*\nExpires: /);
  const headers = { 'if-none-match': security.headers.get('etag') ?? '' };
  const again = await service.request('/.well-known/security.txt', { headers });
  t.equal(again.status, 304, 'it is the same all day');
  const metadata = await service.request('/.well-known/oauth-authorization-server');
  t.match(metadata.json, {
    issuer: url,
    resource: url,
    agent_auth: {
      skill: `${url}/auth.md`,
      register_uri: `${url}/agent/auth`,
      claim_uri: `${url}/agent/auth/claim`,
      claim_complete_uri: `${url}/agent/auth/claim/complete`,
      revocation_uri: `${url}/agent/auth/revoke`,
      identity_types_supported: ['anonymous', 'identity_assertion'],
      response_envelope: 'ok/data',
    },
  });
});
