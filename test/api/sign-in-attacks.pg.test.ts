import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Browser } from '../support/browser.ts';
import type { Page } from '../support/browser.ts';
import { IdentityWorld, wrongCode } from '../support/identity-world.ts';
import { signedIn } from '../support/oauth-client.ts';
import { createMigratedDatabase } from '../support/postgres.ts';

/**
 * Returns all that somebody could tell two answers apart by, without what is random in every
 * answer.
 */
function shapeOf(status: number, headers: Headers, text: string): unknown {
  const names = [...headers.keys()].filter((name) => name !== 'date').toSorted();
  const plain = text
    .replaceAll(/\b(?:wbc_|wbk_live_|reg_|cla_|req_|agt_)\w+/g, 'random')
    .replaceAll(/\b\w\*{3}@example\.com/g, 'address')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\b(?:5\d|60)\b/g, 'about a minute');
  return { status, names, plain };
}

t.test('until the right code comes nobody looks whether an address has an account', async (t) => {
  const databaseUrl = await createMigratedDatabase();
  const world = await IdentityWorld.start(t, { DATABASE_URL: databaseUrl });
  await signedIn(world, 'known@example.com');
  world.clock.forward(61);
  const agents = [await world.agent(), await world.agent()];
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  // From now on every statement that asks for the address of a person fails. So what is done for
  // both is the same, and so is the time that it takes.
  await sql`alter table identity_user rename column email to hidden`;
  const shapes: unknown[][] = [];
  for (const [nth, email] of ['known@example.com', 'fresh@example.com'].entries()) {
    const found: unknown[] = [];
    shapes.push(found);
    const keep = (status: number, headers: Headers, text: string): void =>
      void found.push(shapeOf(status, headers, text));
    const page = ({ status, headers, text }: Page): void => keep(status, headers, text);
    const browser = new Browser(world.service.url);
    const before = world.mail.lettersTo(email).length;
    page(await browser.post('/login', { email, next: '/agents' }));
    const { code } = await world.mail.letter(email, before + 1);
    page(await browser.post('/login/code', { code: wrongCode(code), next: '/agents' }));
    page(await browser.post('/login', { email, next: '/agents' }));
    const asserted = await world.post('/agent/auth', {
      type: 'identity_assertion',
      assertions: [{ type: 'verified_email', email: `other-${email}` }],
    });
    keep(asserted.status, asserted.answer.headers, asserted.answer.text);
    const agent = agents[nth];
    if (agent === undefined) throw new Error('no agent');
    world.clock.forward(61);
    const claim = await world.claim(agent, email);
    keep(claim.status, claim.answer.headers, claim.answer.text);
    const letter = await world.mail.letter(email, before + 3);
    const wrong = await world.complete(agent, wrongCode(letter.code));
    keep(wrong.status, wrong.answer.headers, wrong.answer.text);
    const again = await world.claim(agent, email);
    keep(again.status, again.answer.headers, again.answer.text);
  }
  const [known, fresh] = shapes;
  t.same(known, fresh);
  t.match(
    known?.map((shape) => (shape as { status: number }).status),
    [200, 401, 200, 200, 200, 401, 429],
  );
});

t.test('guesses at the site share five tries, with each other and with claims', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const email = 'victim@example.com';
  const browser = new Browser(url);
  await browser.post('/login', { email, next: '/' });
  const { code } = await world.mail.letter(email);
  const guesses = Array.from({ length: 40 }, (_, nth) =>
    String((Number(code) + 1 + nth) % 1_000_000).padStart(6, '0'),
  );
  const answers = await Promise.all(
    guesses.map((guess) => browser.post('/login/code', { code: guess, next: '/' })),
  );
  const count = (wanted: number): number =>
    answers.filter(({ status }) => status === wanted).length;
  t.equal(count(401), 4, 'the fifth burns the code');
  t.equal(count(410), answers.length - 4);
  t.equal((await browser.post('/login/code', { code, next: '/' })).status, 410);

  let wrong = 5;
  let letters = 1;
  while (wrong < 30) {
    world.clock.forward(900);
    const agent = await world.agent();
    t.equal((await world.claim(agent, email)).status, 200);
    const letter = await world.mail.letter(email, ++letters);
    for (let nth = 0; nth < 5; nth++, wrong++) await world.complete(agent, wrongCode(letter.code));
  }
  world.clock.forward(900);
  const locked = await new Browser(url).post('/login', { email, next: '/' });
  t.equal(locked.status, 429, 'thirty wrong tries of any kind lock the address');
});

t.test('the code of a claim signs nobody in, and that of a sign-in claims nothing', async (t) => {
  const world = await IdentityWorld.start(t);
  const email = 'victim@example.com';
  const agent = await world.agent();
  const browser = new Browser(world.service.url);
  await browser.post('/login', { email, next: '/' });
  const first = await world.mail.letter(email);
  t.match(await world.complete(agent, first.code), { status: 409, error: 'no_claim_in_progress' });
  world.clock.forward(61);
  await world.claim(agent, email);
  const second = await world.mail.letter(email, 2);
  const { status } = await browser.post('/login/code', { code: second.code, next: '/' });
  if (second.code !== first.code) t.not(status, 303);
});

t.test('an attempt at a claim is no way to sign in as its address', async (t) => {
  const world = await IdentityWorld.start(t);
  const email = 'victim@example.com';
  const agent = await world.agent();
  const { data } = await world.claim(agent, email);
  const { code } = await world.mail.letter(email);
  const browser = new Browser(world.service.url);
  // The answer to a claim names the attempt, and the cookie of a sign-in is such a name.
  browser.cookies.set('wb_signin', String(data['claim_attempt_id']));
  const refused = await browser.post('/login/code', { code, next: '/' });
  t.equal(refused.status, 409);
  t.equal((await world.complete(agent, code)).status, 200, 'nor was it spent by that');
});

t.test('a session ends where it was ended, and everywhere with the account', async (t) => {
  const databaseUrl = await createMigratedDatabase();
  const world = await IdentityWorld.start(t, { DATABASE_URL: databaseUrl });
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const email = 'ada@example.com';
  const first = await signedIn(world, email);
  const stolen = new Browser(world.service.url);
  for (const [name, value] of first.cookies) stolen.cookies.set(name, value);
  await first.submit(await first.get('/agents'), '/logout');
  t.equal((await stolen.get('/agents')).status, 303, 'the cookie is worth nothing now');
  world.clock.forward(61);
  const second = await signedIn(world, email);
  t.equal((await second.get('/agents')).status, 200);
  const kept = await sql<{ session: string }[]>`
    select encode(session_sha256, 'hex') as session from session`;
  const cookie = second.cookies.get('wb_session') ?? '';
  t.notOk(JSON.stringify(kept).includes(cookie), 'the database has no cookie');
  await sql`update identity_user set suspended_at = now() where email = ${email}`;
  t.equal((await second.get('/agents')).status, 303, 'a suspended account is signed out');
  world.clock.forward(61);
  await t.rejects(signedIn(world, email), /403/, 'and stays out');
  world.clock.forward(31 * 86_400);
  await sql`update identity_user set suspended_at = null`;
  t.equal((await second.get('/agents')).status, 303, 'thirty days unused');
});
