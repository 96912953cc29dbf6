import { Problem, Quire } from '../library/quire.ts';
import type { Context } from './context.ts';
import { keepProfile } from './credentials.ts';
import { plainFetch } from './plain-fetch.ts';
import { exitCodes, Stop } from './stop.ts';
import { readInput } from './terminal.ts';

export async function login(context: Context): Promise<number> {
  const { terminal, url } = context;
  const email = context.option('email');
  if (context.has('with-key')) return loginByKey(context);
  if (email !== undefined) return loginByMail(context, email);
  if (!context.has('anonymous')) {
    if (context.has('browser') || terminal.isInteractive) {
      return (await import('./browser-login.ts')).loginByBrowser(context);
    }
    const ways = '--browser, --anonymous, --email <address> or --with-key';
    throw new Stop(exitCodes.usage, `Say how: ${ways}.`);
  }
  const name = context.option('name');
  const given = { url, fetch: plainFetch, ...(context.has('no-retry') && { retries: 0 }) };
  const asked = name === undefined ? given : { ...given, name };
  const { registration } = await Quire.register(asked);
  const { credential, claim_token: claimToken, user_id: userId, scopes } = registration;
  if (credential === undefined) throw new Stop(exitCodes.failed, `${url} answered no credential.`);
  context.keep({ key: credential, claimToken });
  if (terminal.isJson) terminal.json({ url, user_id: userId, scopes });
  else terminal.print(`Signed in at ${url} as ${userId ?? 'an agent'}.`);
  return exitCodes.done;
}

/**
 * Signs in with a key from standard input; as an argument it would show in process lists and shell
 * histories.
 */
async function loginByKey(context: Context): Promise<number> {
  const key = (await readInput()).toString('utf8').trim();
  const quire = context.stranger(key);
  const me = await quire.whoami({ signal: context.signal });
  context.keep({ key });
  if (context.terminal.isJson) context.terminal.json(me);
  else context.terminal.print(`Signed in at ${context.url} as ${me.user_id}.`);
  return exitCodes.done;
}

async function loginByMail(context: Context, email: string): Promise<number> {
  const { signal, terminal, url } = context;
  const code = context.option('code');
  if (code === undefined) {
    const { data } = await context.stranger().call('POST', '/agent/auth', {
      signal,
      body: {
        type: 'identity_assertion',
        assertions: [{ type: 'verified_email', email }],
      },
    });
    context.keep({ claimToken: data.claim_token });
    terminal.note(data.message ?? `A code was sent to ${email}.`);
  }
  const given = code ?? (await typedCode(context, `quire login --email ${email}`));
  return complete(context, given, `Signed in at ${url}`);
}

export async function claim(context: Context): Promise<number> {
  const { signal, terminal } = context;
  const email = context.argument(0, 'The e-mail address');
  const code = context.option('code');
  const { profile } = context;
  if (profile?.claimToken === undefined) {
    const advice = 'Sign in with `quire login --anonymous` first.';
    throw new Stop(exitCodes.notAllowed, `There is nothing to claim. ${advice}`);
  }
  if (code === undefined) {
    const { data } = await context.stranger().call('POST', '/agent/auth/claim', {
      signal,
      body: { claim_token: profile.claimToken, email, link: context.has('link') },
    });
    terminal.note(data.message);
  }
  const given = code ?? (await typedCode(context, `quire claim ${email}`));
  return complete(context, given, `Claimed by ${email}`);
}

async function typedCode({ terminal }: Context, command: string): Promise<string> {
  if (terminal.isInteractive) return terminal.ask('Code: ');
  throw new Stop(exitCodes.refused, `The code was sent. Go on with \`${command} --code <code>\`.`);
}

async function complete(context: Context, otp: string, told: string): Promise<number> {
  const { terminal, signal } = context;
  const { data } = await context.stranger().call('POST', '/agent/auth/claim/complete', {
    signal,
    body: { claim_token: context.profile?.claimToken ?? '', otp },
  });
  const { credential, ...rest } = data;
  context.keep({ key: credential });
  if (terminal.isJson) terminal.json(rest);
  else terminal.print(`${told}, as ${data.user_id}.`);
  return exitCodes.done;
}

export async function whoami(context: Context): Promise<number> {
  const { terminal, signal, url } = context;
  const quire = context.quire();
  const me = await quire.whoami({ signal });
  const shown = context.has('show-key') ? { key: quire.key } : {};
  if (terminal.isJson) {
    terminal.json({ ...me, url, profile: context.profileName, ...shown });
    return exitCodes.done;
  }
  const name = typeof me['name'] === 'string' ? ` (${me['name']})` : '';
  terminal.print(`${me.user_id}${name} at ${url}, may ${me.scopes.join(', ')}`);
  if (shown.key !== undefined) terminal.print(shown.key);
  return exitCodes.done;
}

/** Revokes the key at the service, and deletes it here whatever the service answers. */
export async function logout(context: Context): Promise<number> {
  const { terminal, signal, key } = context;
  let told = 'The key was revoked.';
  try {
    const grant = key === context.profile?.key ? context.profile?.grant : undefined;
    if (grant) await (await import('./oauth.ts')).revoke(grant, signal);
    else if (key !== undefined) {
      await context.stranger(key).call('POST', '/agent/auth/revoke', { signal });
    }
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof Stop)) throw error;
    told = `The key was forgotten here, and not revoked: ${error.message}`;
  }
  keepProfile(context.profileName, undefined);
  if (terminal.isJson) terminal.json({ profile: context.profileName });
  else terminal.print(told);
  return exitCodes.done;
}

export async function usage(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const told = await context.quire().usage({ signal });
  if (terminal.isJson) {
    terminal.json(told);
    return exitCodes.done;
  }
  terminal.print(`Plan ${told.plan}, since ${told.period.from}`);
  for (const [name, count] of Object.entries(told.usage)) {
    if (typeof count === 'number') terminal.print(`  ${name.padEnd(12)} ${count}`);
  }
  return exitCodes.done;
}
