import { writeFile } from 'node:fs/promises';
import t from 'tap';

import { readProviders } from '../../../server/identity/site/upstream/providers.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const secret = 'a-very-secret-secret';
const good = { name: 'A', issuer: 'https://a.example', client_id: 'x', client_secret: secret };

t.test('providers are read from a file', async (t) => {
  const path = `${await makeTemporaryFolder(t)}/providers.json`;
  const hub = { name: 'Hub', kind: 'github', client_id: 'y' };
  await writeFile(path, JSON.stringify({ a: good, hub }));
  t.match(await readProviders(path), [
    { id: 'a', name: 'A', kind: 'openid', issuer: good.issuer, clientSecret: secret },
    { id: 'hub', kind: 'github', issuer: 'https://github.com', clientSecret: undefined },
  ]);
  t.same(await readProviders(undefined), []);
});

t.test('a file that cannot be used is refused, and no secret is told', async (t) => {
  const path = `${await makeTemporaryFolder(t)}/providers.json`;
  for (const text of [
    `{"a": ${secret}}`,
    JSON.stringify({ code: good }),
    JSON.stringify({ 'A b': good }),
    JSON.stringify({ a: { ...good, issuer: 'http://a.example' } }),
    JSON.stringify({ a: { ...good, issuer: 'http://localhost.evil.example' } }),
    JSON.stringify({ a: { ...good, issuer: undefined } }),
    JSON.stringify({ a: { ...good, [secret]: 1 } }),
    JSON.stringify({ a: { ...good, kind: secret } }),
  ]) {
    await writeFile(path, text);
    const fault: unknown = await readProviders(path).catch((error: unknown) => error);
    t.match(fault, { message: /^SIGN_IN_PROVIDERS_FILE / }, text);
    t.notMatch(String(fault), secret);
  }
  await t.rejects(readProviders(`${path}.not`), /is not there/);
});
