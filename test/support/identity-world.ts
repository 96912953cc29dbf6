import type { Test } from 'tap';

import { FormulaDouble } from './formula-double.ts';
import { MailServer } from './mail-server.ts';
import { MovingClock } from './moving-clock.ts';
import { TestService, type TestAnswer } from './test-service.ts';

/** The members that tests use by name. */
export interface IdentityData {
  readonly [name: string]: unknown;
  readonly credential?: string;
  readonly claim_token?: string;
  readonly user_id?: string;
}

export interface IdentityAnswer {
  readonly status: number;
  readonly error: string | undefined;
  readonly data: IdentityData;
  readonly answer: TestAnswer;
}

export interface Agent {
  readonly credential: string;
  readonly claimToken: string;
  readonly userId: string;
}

/** A service with a real mail server and a clock that can be moved. */
export class IdentityWorld {
  readonly service: TestService;
  readonly mail: MailServer;
  readonly clock: MovingClock;

  private constructor(service: TestService, mail: MailServer, clock: MovingClock) {
    this.service = service;
    this.mail = mail;
    this.clock = clock;
  }

  static async start(
    t: Pick<Test, 'teardown'>,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<IdentityWorld> {
    const mail = await MailServer.start(t);
    const clock = new MovingClock();
    const { environment } = clock;
    const given = { formulas: new FormulaDouble(), environment };
    const service = await TestService.start(t, { MAIL_URL: mail.url, ...settings }, given);
    return new IdentityWorld(service, mail, clock);
  }

  async post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IdentityAnswer> {
    const answer = await this.service.request(path, { body, headers });
    const { error, data = {} } = (answer.json ?? {}) as {
      error?: string;
      data?: IdentityData;
    };
    return { status: answer.status, error, data, answer };
  }

  async agent(name = 'test-agent'): Promise<Agent> {
    const { data, answer } = await this.post('/agent/auth', {
      type: 'anonymous',
      client: { name },
    });
    const { credential, claim_token: claimToken, user_id: userId } = data;
    if (!credential || !claimToken || !userId) throw new Error(answer.text);
    return { credential, claimToken, userId };
  }

  claim(agent: Pick<Agent, 'claimToken'>, email: string, link?: boolean): Promise<IdentityAnswer> {
    const { claimToken: claim_token } = agent;
    return this.post('/agent/auth/claim', { claim_token, email, link });
  }

  complete(
    { claimToken: claim_token }: Pick<Agent, 'claimToken'>,
    otp: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IdentityAnswer> {
    return this.post('/agent/auth/claim/complete', { claim_token, otp }, headers);
  }

  /** Claims it with the code that comes by mail, and returns its new credential. */
  async claimed(agent: Agent, email: string, link = false): Promise<IdentityAnswer> {
    const before = this.mail.lettersTo(email).length;
    const asked = await this.claim(agent, email, link);
    if (asked.status !== 200) throw new Error(`claim answered ${asked.answer.text}`);
    const { code } = await this.mail.letter(email, before + 1);
    return this.complete(agent, code);
  }
}

/** A code that is not this one. */
export function wrongCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
