import t from 'tap';

import { IdentityWorld } from '../support/identity-world.ts';

t.test(
  'an address that folds to somebody else’s gets no code, and nobody gets a letter',
  async (t) => {
    const world = await IdentityWorld.start(t);
    const victim = 'kate@example.com';
    const agent = await world.agent();
    await world.claimed(agent, victim);
    world.clock.forward(61);
    const letters = world.mail.letters.length;
    for (const email of [
      '\u212Aate@example.com',
      'kate@e\u212Aample.com',
      'ka\u200Bte@example.com',
    ]) {
      const asserted = await world.post('/agent/auth', {
        type: 'identity_assertion',
        assertions: [{ type: 'verified_email', email }],
      });
      t.match(asserted, { status: 400, error: 'invalid_request' }, email);
      t.match(await world.claim(await world.agent(), email), { status: 400 }, email);
    }
    t.equal(world.mail.letters.length, letters);
  },
);

t.test('a letter goes to the form by which the account is found', async (t) => {
  const world = await IdentityWorld.start(t);
  const agent = await world.agent();
  await world.claim(agent, 'Kate@Example.COM');
  const { recipients } = await world.mail.letter('kate@example.com');
  t.same(recipients, ['kate@example.com']);
});
