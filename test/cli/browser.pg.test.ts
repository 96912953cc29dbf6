import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import t from 'tap';

import { IdentityWorld } from '../support/identity-world.ts';
import { allow, signedIn } from '../support/oauth-client.ts';
import { isLeftOut } from '../support/outside-program.ts';
import { QuireCommand } from '../support/quire-command.ts';
import { inTerminal, missingTerminal } from '../support/terminal.ts';

/** The command where a browser is part of it: signing in as a person, and the console. */

interface Stored {
  readonly profiles: {
    readonly default: { key: string; grant: { refreshToken: string; expiresAt: number } };
  };
}

const world = await IdentityWorld.start(t);
const { url } = world.service;

async function stored(quire: QuireCommand): Promise<Stored['profiles']['default']> {
  const text = await readFile(join(quire.home, 'quire/credentials.json'), 'utf8');
  return (JSON.parse(text) as Stored).profiles.default;
}

/** Signs in as a person would: reads the address, agrees there, and is led back. */
async function login(quire: QuireCommand, decision: string, email: string) {
  const child = spawn(process.execPath, [QuireCommand.main, 'login', '--browser', '--json'], {
    env: quire.environment,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  let back: Response | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    stderr += `${line}\n`;
    const address = /^ {2}(http\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    const other = new URL(
      '/callback?code=x&state=guessed',
      new URL(address).searchParams.get('redirect_uri') ?? '',
    );
    t.equal((await fetch(other)).status, 400, 'who does not know the state is sent away');
    const browser = await signedIn(world, email);
    const page = await browser.get(address.replace(url, ''));
    t.match(page.text, /quire on /);
    back = await fetch(await allow(browser, page, decision));
  }
  const code = child.exitCode ?? ((await once(child, 'close'))[0] as number | null);
  return { code, stdout, stderr, back };
}

t.test('a person signs in, the key is renewed, and signing out ends the consent', async (t) => {
  const quire = await QuireCommand.at(t, url);
  const done = await login(quire, 'allow', 'ada@example.com');
  t.match(done, { code: 0, back: { status: 200 } });
  t.match(JSON.parse(done.stdout), { user_id: /^usr_/, scopes: ['read', 'write', 'account'] });
  const first = await stored(quire);
  t.notMatch(done.stdout + done.stderr, first.key);
  const file = join(quire.home, 'quire/credentials.json');
  const ended = (await readFile(file, 'utf8')).replace(/"expiresAt": \d+/, '"expiresAt": 0');
  await writeFile(file, ended);
  const both = await Promise.all([quire.run(['whoami']), quire.run(['ls'])]);
  t.match(
    both,
    [{ code: 0 }, { code: 0 }],
    'a refresh token counts once, and nobody needs it twice',
  );
  const second = await stored(quire);
  t.not(second.key, first.key);
  t.not(second.grant.refreshToken, first.grant.refreshToken);
  t.ok(second.grant.expiresAt > Date.now());
  t.match(await quire.text('logout'), 'revoked');
  const other = await QuireCommand.at(t, url);
  t.equal((await other.run(['login', '--with-key'], { input: second.key })).code, 4);
});

t.test('a consent that is refused, or was taken back, says what to do', async (t) => {
  const quire = await QuireCommand.at(t, url);
  const refused = await login(quire, 'deny', 'bob@example.com');
  t.match(refused, { code: 4, stderr: /"detail":"You were not signed in: / });
  t.match(await quire.run(['login']), { code: 2, stderr: /--browser, --anonymous/ });
  await login(quire, 'allow', 'bob@example.com');
  const file = join(quire.home, 'quire/credentials.json');
  const text = (await readFile(file, 'utf8')).replace(/"expiresAt": \d+/, '"expiresAt": 0');
  await writeFile(file, text.replace(/"refreshToken": "\w+"/, '"refreshToken": "wbr_none"'));
  t.match(await quire.run(['ls']), { code: 4, stderr: /use `quire login` again/ });
  const nowhere = await QuireCommand.at(t, 'http://127.0.0.1:9');
  t.match(await nowhere.run(['login', '--browser']), { code: 7, stderr: /does not answer/ });
});

t.test('the console is opened where a person is, and its address is printed', async (t) => {
  const quire = await QuireCommand.at(t, url);
  await quire.text('login', '--anonymous');
  const book = await quire.text('new', 'plan');
  t.equal(await quire.text('open'), `${url}/console`);
  t.equal(await quire.text('open', book), `${url}/console/${book}?at=main`);
  const cell = await quire.json('open', `${book}@q3@4`, "'My plan'!B2");
  t.same(cell, { url: `${url}/console/${book}?at=q3%404&sheet=My+plan&cell=B2` });
  t.equal(await quire.text('open', book, 'mrg_1'), `${url}/console/${book}/merges/mrg_1`);
  t.equal(await quire.text('open', book, 'mat_1'), `${url}/console/${book}/matches/mat_1`);
  if (isLeftOut(t, missingTerminal)) return;
  const opener = join(quire.home, 'opener');
  await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${quire.home}/opened'\n`);
  await chmod(opener, 0o755);
  const shown = await inTerminal(quire.with({ BROWSER: opener }), '', 'open', book);
  t.match(shown, { code: 0, text: `${url}/console/${book}` });
  t.equal(await readFile(join(quire.home, 'opened'), 'utf8'), `${url}/console/${book}?at=main`);
  const none = await inTerminal(quire.with({ BROWSER: '/none/there' }), '', 'open', book);
  t.match(none, { code: 0, text: /There is no browser here/ });
});
