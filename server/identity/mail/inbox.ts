import { MailFolder } from './transport.ts';
import type { MailTransport } from './transport.ts';

export interface InboxLetter {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly code: string | undefined;
  /** Link that refuses the code. */
  readonly deny: string | undefined;
  readonly date: string;
}

const shownMost = 50;

/** Reads the letters in the folder for a developer: their text, and the code in it. */
export async function readInbox(transport: MailTransport): Promise<InboxLetter[] | undefined> {
  if (!(transport instanceof MailFolder)) return undefined;
  const letters = await transport.latest(shownMost);
  return letters.map(({ name, text }) => {
    const whole = text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
    const header = (key: string): string =>
      new RegExp(`^${key}: (.*)$`, 'im').exec(whole)?.[1]?.trim() ?? '';
    return {
      id: name.replace(/\.eml$/, ''),
      to: header('To'),
      subject: header('Subject'),
      code: /Your code: (\d{3}) (\d{3})/.exec(whole)?.slice(1).join(''),
      deny: /https?:\/\/\S+\/claim\/deny\?token=[\w-]+/.exec(whole)?.[0],
      date: header('Date'),
    };
  });
}
