import t from 'tap';

import { IdentityWorld, wrongCode } from '../support/identity-world.ts';

// Runs long: forty guesses at a time, and the deadlines of claims.

const count = <Value>(values: readonly Value[], wanted: Value): number =>
  values.filter((value) => value === wanted).length;

t.test('guesses at the same time share the five tries of a code', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const email = 'victim@example.com';
  await world.claim(agent, email);
  const { code } = await world.mail.letter(email);
  const guesses = Array.from({ length: 40 }, (_, nth) => wrongCode(String(Number(code) + nth)));
  const answers = await Promise.all(
    guesses.filter((guess) => guess !== code).map((guess) => world.complete(agent, guess)),
  );
  const errors = answers.map(({ error }) => error);
  t.equal(count(errors, 'otp_invalid'), 4);
  t.equal(count(errors, 'otp_attempts_exceeded'), errors.length - 4);
  t.match(await world.complete(agent, code), { error: 'otp_attempts_exceeded' });
});

t.test('the right code at the same time many times claims once', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const { credential } = agent;
  await world.service.request('/v1/workbooks', { credential, body: { name: 'one' } });
  await world.claim(agent, 'a@example.com');
  const { code } = await world.mail.letter('a@example.com');
  const answers = await Promise.all(Array.from({ length: 5 }, () => world.complete(agent, code)));
  t.equal(
    count(
      answers.map(({ status }) => status),
      200,
    ),
    1,
  );
  const refused = answers.filter(({ status }) => status !== 200);
  t.ok(refused.every(({ error }) => error === 'previously_claimed' || error === 'otp_expired'));
});

t.test('wrong tries are counted for the address over all claim tokens', async (t) => {
  const world = await IdentityWorld.start(t);
  const email = 'victim@example.com';
  let wrong = 0;
  let letters = 0;
  for (let nth = 0; nth < 5; nth++) {
    const agent = await world.agent();
    t.match(await world.claim(agent, email), { status: 200 });
    const { code } = await world.mail.letter(email, ++letters);
    for (let guess = 0; guess < 5; guess++, wrong++) await world.complete(agent, wrongCode(code));
  }
  t.equal(wrong, 25);
  const sixth = await world.agent();
  t.match(await world.claim(sixth, email), {
    status: 429,
    error: 'rate_limited',
    data: { scope: 'address' },
  });
  world.clock.forward(3_600);
  t.match(await world.claim(sixth, email), { status: 200 });
  const { code } = await world.mail.letter(email, ++letters);
  for (let guess = 0; guess < 5; guess++) await world.complete(sixth, wrongCode(code));
  world.clock.forward(61);
  const locked = await world.claim(sixth, email);
  t.match(locked, { status: 429, data: { scope: 'address' } }, 'thirty wrong tries lock it');
  t.ok(Number(locked.data['retry_after']) > 20 * 3_600, 'for the day');
  t.equal(Number(locked.answer.headers.get('retry-after')), locked.data['retry_after']);
  world.clock.forward(86_400);
  t.match(await world.claim(sixth, email), { status: 200 }, 'and no longer');
});

t.test('a claim token gets five codes an hour, an address fifteen a day', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  for (let nth = 0; nth < 5; nth++) {
    t.match(await world.claim(agent, `p${nth}@example.com`), { status: 200 });
    world.clock.forward(61);
  }
  t.match(await world.claim(agent, 'p6@example.com'), { status: 429, data: { scope: 'claim' } });
  let sent = 0;
  for (let hour = 0; hour < 4; hour++) {
    for (let nth = 0; nth < 5; nth++) {
      const { status } = await world.claim(await world.agent(), 'bombed@example.com');
      if (status === 200) sent++;
    }
    world.clock.forward(3_601);
  }
  t.equal(sent, 15);
});

t.test('limits by address go by the socket, whatever a header says', async (t) => {
  const world = await IdentityWorld.start(t, { RATE_LIMITS: 'on' });
  // Limits of an hour are counted by the hour: the test begins one, so that it stays in it.
  world.clock.forward(3_601 - ((Date.now() / 1000) % 3_600));
  const unknown = { claim_token: `wbc_${'0'.repeat(38)}`, otp: '123456' };
  const statuses: number[] = [];
  for (let from = 0; from < 3_010; from += 70) {
    const sent = Array.from({ length: 70 }, (_, nth) => {
      const address = `10.0.${from / 70}.${nth}`;
      const headers = {
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
      };
      return world.post('/agent/auth/claim/complete', unknown, headers);
    });
    for (const { status } of await Promise.all(sent)) statuses.push(status);
  }
  t.equal(
    count(statuses, 429),
    statuses.length - 3_000,
    'thirty an hour, a hundred times that here',
  );
});

t.test('who says "not me" ends the code and is left in peace', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent('<b>evil</b>\r\nBcc: x@y.zz');
  const email = 'victim@example.com';
  await world.claim(agent, email);
  const letter = await world.mail.letter(email);
  t.match(letter.text, /calls itself "bevilb/, 'the name of a client is text of one line');
  t.notMatch(letter.html, /<b>/);
  t.match(letter.text, /Do not give this code to anybody/);
  t.equal(letter.headers.get('auto-submitted'), 'auto-generated');
  t.match(letter.headers.get('x-claim-attempt'), /^cla_/);
  t.same(letter.recipients, [email]);
  const { pathname, search } = new URL(letter.denyUrl);
  t.equal(pathname, '/claim/deny');
  const shown = await world.service.request(`/claim/deny${search}`);
  t.match(
    shown,
    { status: 200, text: /Refuse the code/ },
    'a mail program that looks ends nothing',
  );
  t.match(shown.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  const denied = await world.service.request(`/claim/deny${search}`, { method: 'POST' });
  t.equal(denied.status, 200);
  t.match(await world.complete(agent, letter.code), { status: 410, error: 'otp_expired' });
  world.clock.forward(61);
  t.match(await world.claim(agent, email), { status: 429, data: { scope: 'address' } });
  world.clock.forward(86_400);
  t.match(await world.claim(agent, email), { status: 200 });
  const unknown = await world.service.request('/claim/deny?token=x', { method: 'POST' });
  t.equal(unknown.text, denied.text, 'an unknown token is answered alike');
});

t.test('a merge is undone by nobody who had the old key', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const rotated = await world.service.request('/agent/auth/rotate', {
    method: 'POST',
    credential: agent.credential,
  });
  const { data } = rotated.json as { data: { credential: string } };
  await world.claimed(agent, 'a@example.com');
  for (const credential of [agent.credential, data.credential]) {
    const me = await world.service.request('/agent/auth/me', { credential });
    t.match(me, { status: 401, json: { error: 'credential_superseded' } }, 'every key of it ended');
  }
});

t.test('a credential is found in no answer but the one that made it', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const { data } = await world.claimed(agent, 'a@example.com', true);
  const credential = data.credential ?? '';
  for (const path of ['/agent/auth/me', '/v1/workbooks']) {
    const { text, headers } = await world.service.request(path, { credential });
    t.notMatch(text + JSON.stringify([...headers]), credential.slice(9));
  }
  const broken = await world.post('/agent/auth/claim/complete', {
    claim_token: credential,
    otp: 7,
  });
  t.equal(broken.status, 400);
  t.notMatch(broken.answer.text, credential.slice(9), 'not even what was sent');
});
