import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Test } from 'tap';

export interface ReceivedLetter {
  /** Recipients of the envelope, whatever the header says. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly code: string;
  readonly denyUrl: string;
}

/** A mail server that keeps letters, and can be told to refuse them. */
export class MailServer {
  readonly url: string;
  readonly letters: ReceivedLetter[] = [];
  /** Letters that are refused before one is taken. */
  refusals = 0;

  private constructor(port: number) {
    this.url = `smtp://127.0.0.1:${port}`;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<MailServer> {
    const holder: { mail?: MailServer } = {};
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const recipients = session.envelope.rcptTo.map(({ address }) => address);
          void holder.mail?.receive(Buffer.concat(chunks), recipients, done);
        });
      },
    });
    const listener = server.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const mail = new MailServer(address.port);
    holder.mail = mail;
    t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return mail;
  }

  async receive(
    bytes: Buffer,
    recipients: readonly string[],
    done: (refusal?: Error) => void,
  ): Promise<void> {
    if (this.refusals > 0) {
      this.refusals--;
      done(Object.assign(new Error('not now'), { responseCode: 451 }));
      return;
    }
    const { subject = '', text = '', html = '', headers } = await PostalMime.parse(bytes);
    this.letters.push({
      recipients,
      subject,
      text,
      html,
      headers: new Map(headers.map(({ key, value }) => [key, value])),
      code: (/(\d{3} \d{3})/.exec(subject)?.[1] ?? '').replace(' ', ''),
      denyUrl: /https?:\S+/.exec(text)?.[0] ?? '',
    });
    done();
  }

  /** Hosts of addresses become lower case on the way. */
  lettersTo(email: string): ReceivedLetter[] {
    const wanted = email.toLowerCase();
    return this.letters.filter(({ recipients }) =>
      recipients.some((recipient) => recipient.toLowerCase() === wanted),
    );
  }

  /** The newest letter to the address once there are as many as that. */
  async letter(email: string, count = 1): Promise<ReceivedLetter> {
    for (let wait = 0; wait < 800; wait++) {
      const found = this.lettersTo(email);
      const last = found.at(-1);
      if (last !== undefined && found.length >= count) return last;
      await sleep(25);
    }
    throw new Error(`${email} has fewer than ${count} letters`);
  }
}
