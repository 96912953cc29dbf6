import t from 'tap';

import { Browser } from '../support/browser.ts';
import { IdentityWorld, wrongCode } from '../support/identity-world.ts';
import { signedIn } from '../support/oauth-client.ts';

t.test(
  'strangers who use up the codes of an address keep out no browser of its owner',
  async (t) => {
    const world = await IdentityWorld.start(t);
    const { url } = world.service;
    const email = 'ada@example.com';
    const own = await signedIn(world, email);
    await own.post('/logout', { form_token: tokenOf((await own.get('/agents')).text) });
    t.match(await own.get('/agents'), { status: 303 }, 'signed out');
    for (let nth = 0; nth < 4; nth++) {
      t.equal((await new Browser(url).post('/login', { email, next: '/' })).status, 200);
    }
    t.equal((await new Browser(url).post('/login', { email, next: '/' })).status, 429);
    await world.mail.letter(email, 5);
    t.equal((await own.post('/login', { email, next: '/' })).status, 200);
    const { code } = await world.mail.letter(email, 6);
    const wrong = await own.post('/login/code', { code: wrongCode(code), next: '/' });
    t.equal(wrong.status, 401);
    t.match(wrong.text, /name="code"/, 'the field is there to try again');
    t.equal((await own.post('/login/code', { code, next: '/' })).status, 303);
  },
);

t.test(
  'a browser is known for its own address alone, and its codes have the same limits',
  async (t) => {
    const world = await IdentityWorld.start(t);
    const { url } = world.service;
    const own = await signedIn(world, 'eve@example.com');
    const email = 'victim@example.com';
    for (let nth = 0; nth < 5; nth++) {
      t.equal((await new Browser(url).post('/login', { email, next: '/' })).status, 200);
    }
    t.equal((await own.post('/login', { email, next: '/' })).status, 429, 'not of this address');
    const forged = new Browser(url);
    const cookie = own.cookies.get('wb_browser') ?? '';
    t.match(cookie, /^[\w-]{60,}$/);
    forged.cookies.set('wb_browser', `${cookie.slice(0, -2)}AA`);
    t.equal((await forged.post('/login', { email, next: '/' })).status, 429);
    for (let nth = 0; nth < 5; nth++)
      await own.post('/login', { email: 'eve@example.com', next: '/' });
    t.equal((await own.post('/login', { email: 'eve@example.com', next: '/' })).status, 429);
  },
);

t.test('an unlinked agent can be claimed again, and expires like every other', async (t) => {
  const world = await IdentityWorld.start(t);
  const email = 'ada@example.com';
  const agent = await world.agent();
  const { data } = await world.claimed(agent, email, true);
  world.clock.forward(61);
  const browser = await signedIn(world, email);
  const form_token = tokenOf((await browser.get('/agents')).text);
  const form = { form_token, agent: agent.userId, sure: 'yes' };
  t.equal((await browser.post('/agents/unlink', form)).location, '/agents?done=unlinked');
  world.clock.forward(61);
  const again = await world.claimed(agent, 'new@example.com', true);
  t.match(again, { status: 200, data: { mode: 'link', user_id: agent.userId } });
  t.match(
    await world.service.request('/agent/auth/me', { credential: data.credential ?? '' }),
    { status: 401, json: { error: 'credential_superseded', message: /claim\/complete/ } },
    'the advice leads to the new key, not to a new account',
  );
});

function tokenOf(text: string): string {
  return /name="form_token"\s+value="([^"]+)"/.exec(text)?.[1] ?? '';
}
