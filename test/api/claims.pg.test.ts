import t from 'tap';

import { IdentityWorld, wrongCode } from '../support/identity-world.ts';

t.test('a merge makes the agent and its workbooks part of the account', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const make = async (credential: string, name: string) =>
    (await service.request('/v1/workbooks', { credential, body: { name } })).json as {
      id: string;
      namespace: string;
    };
  const first = await world.agent();
  await make(first.credential, 'Budget');
  const person = await world.claimed(first, 'Ada@Example.com');
  t.match(person.data, {
    credential: /^wbk_live_/,
    user_id: /^usr_/,
    scopes: ['read', 'write', 'account'],
    mode: 'merge',
    status: 'claimed',
    credential_type: 'api_key',
    credential_expires: null,
    previous_credential: 'revoked',
    owner: { user_id: /^usr_/, email: 'a***@example.com' },
    transferred: { workbooks: 1, renamed: [] },
  });
  const second = await world.agent();
  const book = await make(second.credential, 'budget');
  await make(second.credential, 'other');
  const merged = await world.claimed(second, 'ada@example.com');
  t.equal(merged.data.user_id, person.data.user_id, 'one person, however the address is written');
  t.match(merged.data['transferred'], {
    workbooks: 2,
    renamed: [{ from: `${book.namespace}/budget`, to: 'ada/budget-2' }],
  });
  const credential = merged.data.credential ?? '';
  const list = await service.request('/v1/workbooks?source=pg', { credential });
  t.match(list.json, {
    workbooks: [{ address: 'ada/Budget' }, { address: 'ada/budget-2' }, { address: 'ada/other' }],
  });
  const old = await service.request('/agent/auth/me', { credential: second.credential });
  t.match(old, { status: 401, json: { error: 'credential_superseded' } });
  const moved = await fetch(`${service.url}/v1/${book.namespace}/budget/settings`, {
    headers: { authorization: `Bearer ${credential}` },
    redirect: 'manual',
  });
  t.equal(moved.status, 308, 'the old address leads to the new one');
  t.equal(moved.headers.get('location'), '/v1/ada/budget-2/settings');
  const write = await service.request(`/v1/workbooks/${book.id}/branches/main/ops`, {
    credential,
    body: { ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } }] },
  });
  t.match(write, { status: 200 }, 'the account writes to it');
  world.clock.forward(91 * 86_400);
  const later = await service.request(`/v1/${book.namespace}/budget/settings`, { credential });
  t.equal(later.status, 404, 'for 90 days');
});

t.test('a link leaves the agent what it is', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const agent = await world.agent();
  const book = await service.request('/v1/workbooks', { credential: agent.credential, body: {} });
  const linked = await world.claimed(agent, 'grace@example.com', true);
  t.match(linked.data, {
    user_id: agent.userId,
    mode: 'link',
    scopes: ['read', 'write', 'account'],
    owner: { user_id: /^usr_/, email: 'g***@example.com' },
    transferred: { workbooks: 0 },
  });
  const credential = linked.data.credential ?? '';
  const { id } = book.json as { id: string };
  t.match(await service.request(`/v1/workbooks/${id}`, { credential }), { status: 200 });
  const me = await service.request('/agent/auth/me', { credential });
  t.match(me.json, {
    data: { kind: 'claimed', user_id: agent.userId, owner: { email: 'g***@example.com' } },
  });
  t.match(await world.claim(agent, 'grace@example.com'), {
    status: 409,
    error: 'previously_claimed',
  });
});

t.test('an address alone leads to a key of its account', async (t) => {
  const world = await IdentityWorld.start(t);
  const send = (body: object) => world.post('/agent/auth', { type: 'identity_assertion', ...body });
  const email = 'alan@example.com';
  const sent = await send({ assertions: [{ type: 'verified_email', email }] });
  t.match(sent.data, {
    claim_token: /^wbc_/,
    verification_required: true,
    message: /a\*\*\*@example\.com/,
    registration_type: 'email-verification',
    resend_after: 60,
  });
  t.notOk('credential' in sent.data);
  const agent = { claimToken: sent.data.claim_token ?? '' };
  t.match(await world.claim(agent, 'b@example.com'), { error: 'email_mismatch', status: 409 });
  t.match(await world.claim(agent, email, true), { error: 'link_not_available', status: 409 });
  const { code, text } = await world.mail.letter(email);
  t.match(text, /a key of your whole account/);
  const done = await world.complete(agent, code);
  t.match(done.data, { user_id: /^usr_/, mode: 'merge', previous_credential: null });
  const other = 'Alan@example.com';
  const again = await send({ assertion_type: 'verified_email', assertion: other });
  const { code: second } = await world.mail.letter(other, 2);
  const token = { claimToken: again.data.claim_token ?? '' };
  t.equal((await world.complete(token, second)).data.user_id, done.data.user_id);
  t.match(await send({ assertions: [] }), { status: 400, error: 'invalid_request' });
  const two = [
    { type: 'verified_email', email },
    { type: 'verified_email', email },
  ];
  t.match(await send({ assertions: two }), { status: 400, error: 'invalid_request' });
  t.match(await send({ assertions: [{ type: 'id-jag', email }] }), {
    error: 'unsupported_assertion_type',
    data: { supported: ['verified_email'] },
  });
  for (const bad of ['x', 'a@b', 'a b@c.de', 'a@b.de\nBcc: c@d.ef', 'a@b.de,c@d.ef', '<a@b.de>']) {
    const refused = await send({ assertions: [{ type: 'verified_email', email: bad }] });
    t.match(refused, { status: 400, error: 'invalid_request' }, bad);
  }
});

t.test('a known and an unknown address are answered alike', async (t) => {
  const world = await IdentityWorld.start(t);
  await world.claimed(await world.agent(), 'known@example.com');
  const shapes: string[] = [];
  for (const email of ['known@example.com', 'never@example.com']) {
    const { status, data, answer } = await world.claim(await world.agent(), email);
    const names = [...answer.headers.keys()].toSorted().join();
    shapes.push(`${status} ${Object.keys(data).join()} ${names} ${answer.text.length}`);
    t.equal(
      data['message'],
      `A 6-digit code was sent to ${email[0]}***@example.com. Ask its owner to read it to you, then POST it to /agent/auth/claim/complete.`,
    );
  }
  t.equal(shapes[0], shapes[1]);
});

t.test('a code is typed as people type, and counts once', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  t.match(await world.complete(agent, '123456'), { status: 409, error: 'no_claim_in_progress' });
  await world.claim(agent, 'a@example.com');
  const { code, subject } = await world.mail.letter('a@example.com');
  t.equal(subject, `Your code: ${code.slice(0, 3)} ${code.slice(3)}`);
  t.match(await world.complete(agent, 'abcdef'), { status: 400, error: 'invalid_request' });
  t.match(await world.complete(agent, wrongCode(code)), {
    status: 401,
    error: 'otp_invalid',
    data: { attempts_left: 4 },
  });
  const key = { 'idempotency-key': 'a-key-of-sixteen-or-more' };
  const spaced = `${code.slice(0, 3)} ${code.slice(3, 4)}-${code.slice(4)}`;
  const first = await world.complete(agent, spaced, key);
  t.equal(first.status, 200);
  const repeat = await world.complete(agent, code, key);
  t.same(repeat.data, first.data, 'a retry of the same request');
  t.equal(repeat.answer.headers.get('idempotency-replayed'), 'true');
  t.match(await world.complete(agent, wrongCode(code), key), { error: 'previously_claimed' });
  t.match(await world.complete(agent, code), { status: 409, error: 'previously_claimed' });
});

t.test('a newer code ends the older one, and age and wrong tries end each', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const email = 'a@example.com';
  await world.claim(agent, email);
  const { code: old } = await world.mail.letter(email);
  t.match(await world.claim(agent, email), {
    status: 429,
    error: 'otp_cooldown',
    data: { retry_after: Number },
  });
  world.clock.forward(61);
  await world.claim(agent, email);
  const { code } = await world.mail.letter(email, 2);
  if (old !== code)
    t.match(await world.complete(agent, old), { status: 410, error: 'otp_expired' });
  world.clock.forward(601);
  t.match(await world.complete(agent, code), { status: 410, error: 'otp_expired' });
  await world.claim(agent, email);
  const { code: third } = await world.mail.letter(email, 3);
  for (const left of [4, 3, 2, 1]) {
    t.match((await world.complete(agent, wrongCode(third))).data, { attempts_left: left });
  }
  const burnt = { status: 410, error: 'otp_attempts_exceeded' };
  t.match(await world.complete(agent, wrongCode(third)), burnt);
  t.match(await world.complete(agent, third), burnt, 'not even with the right one');
});

t.test('an unknown, a malformed and a dead claim token are told apart from nothing', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  const unknown = `wbc_${'0'.repeat(38)}`;
  for (const claimToken of [unknown, 'x', agent.credential]) {
    const refused = { status: 401, error: 'invalid_claim_token' };
    t.match(await world.claim({ claimToken }, 'a@example.com'), refused);
    t.match(await world.complete({ claimToken }, '123456'), refused);
  }
  world.clock.forward(31 * 86_400);
  t.match(await world.claim(agent, 'a@example.com'), { status: 410, error: 'claim_expired' });
});

t.test('an operator can switch off either type', async (t) => {
  const world = await IdentityWorld.start(t, { REGISTRATION_TYPES: 'identity_assertion' });
  t.match(await world.post('/agent/auth', { type: 'anonymous' }), {
    status: 403,
    error: 'anonymous_not_enabled',
  });
  const other = await IdentityWorld.start(t, { REGISTRATION_TYPES: 'anonymous' });
  const assertions = [{ type: 'verified_email', email: 'a@b.example' }];
  t.match(await other.post('/agent/auth', { type: 'identity_assertion', assertions }), {
    status: 403,
    error: 'verified_email_not_enabled',
  });
});

t.test('a rotated key lives on for a quarter of an hour', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const { credential, userId } = await world.agent();
  const rotate = (key: string) =>
    service.request('/agent/auth/rotate', { method: 'POST', credential: key });
  const rotated = await rotate(credential);
  const { data } = rotated.json as { data: { credential: string; user_id: string } };
  t.equal(data.user_id, userId);
  for (const key of [credential, data.credential]) {
    t.match(await service.request('/agent/auth/me', { credential: key }), { status: 200 });
  }
  t.match(await rotate(credential), { status: 401, json: { error: 'credential_superseded' } });
  world.clock.forward(15 * 60 + 1);
  t.match(await service.request('/agent/auth/me', { credential }), {
    status: 401,
    json: { error: 'credential_expired' },
  });
  t.match(await service.request('/agent/auth/me', { credential: data.credential }), {
    status: 200,
  });
});
