import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';

import { makeFolders } from '../../storage/folders.ts';
import type { Letter } from './letter.ts';

/** Sends letters. After a resolved send the next server has the letter, or it is on disk. */
export interface MailTransport {
  send(letter: Letter, mailId: string): Promise<void>;
  close(): void;
}

const smtpMilliseconds = 10_000;

export function openTransport(mailUrl: string, from: string): MailTransport {
  return mailUrl.startsWith('file:')
    ? new MailFolder(fileURLToPath(mailUrl), from)
    : openSmtp(mailUrl, from);
}

function openSmtp(mailUrl: string, from: string): MailTransport {
  const transport = createTransport({
    url: mailUrl,
    connectionTimeout: smtpMilliseconds,
    greetingTimeout: smtpMilliseconds,
    socketTimeout: smtpMilliseconds,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (letter, mailId) => {
      await transport.sendMail(message(letter, mailId, from));
    },
    close: () => transport.close(),
  };
}

function message({ to, subject, text, html, attemptId }: Letter, mailId: string, from: string) {
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${mailId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Claim-Attempt': attemptId },
  };
}

/** Writes one .eml file a letter, for a service without a mail server. */
export class MailFolder implements MailTransport {
  readonly #folder: string;
  readonly #from: string;
  readonly #transport = createTransport({ streamTransport: true, buffer: true });

  constructor(folder: string, from: string) {
    this.#folder = folder;
    this.#from = from;
  }

  async send(letter: Letter, mailId: string): Promise<void> {
    const { message: bytes } = await this.#transport.sendMail(message(letter, mailId, this.#from));
    if (!Buffer.isBuffer(bytes)) throw new Error('the letter was not composed whole');
    await makeFolders(this.#folder);
    const path = join(this.#folder, `${mailId}.eml`);
    await writeFile(`${path}.part`, bytes);
    await rename(`${path}.part`, path);
    await this.#dropOld();
  }

  /** Returns the latest letters as they are, newest first. */
  async latest(count: number): Promise<{ readonly name: string; readonly text: string }[]> {
    const names = (await this.#names()).toSorted().toReversed().slice(0, count);
    return Promise.all(
      names.map(async (name) => ({ name, text: await readFile(join(this.#folder, name), 'utf8') })),
    );
  }

  close(): void {
    this.#transport.close();
  }

  async #names(): Promise<string[]> {
    await makeFolders(this.#folder);
    return (await readdir(this.#folder)).filter((name) => name.endsWith('.eml'));
  }

  async #dropOld(): Promise<void> {
    const names = (await this.#names()).toSorted();
    for (const name of names.slice(0, Math.max(0, names.length - keptLetters))) {
      await rm(join(this.#folder, name), { force: true });
    }
  }
}

/** Letters that the folder keeps: codes expire within minutes, older letters only fill the disk. */
const keptLetters = 1000;
