import t, { type Test } from 'tap';
import { z } from 'zod';

import { problemReply, type ProblemContext } from '../../../server/http/problem.ts';
import { Validator } from '../../../server/http/validate.ts';
import { Failure, failures, type FailureKey } from '../../../server/model/failure.ts';
import { Rejection, rejectionError, rejections } from '../../../server/model/rejection.ts';
import type { RejectionCode } from '../../../server/model/rejection.ts';
import { wholeRouteTable } from '../../support/route-table.ts';
import { writtenTexts } from '../../support/written-texts.ts';

// Everything that a refusal may say is read here as its reader gets it.

const base = 'https://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };
const named = { id: 'wb_1', branch: 'a/b', mid: 'mrg_1' };
const context: ProblemContext = { host: 'api', requestId: 'r', addresses, named };
const keys = Object.keys(failures) as FailureKey[];

interface Problem {
  readonly detail: string;
  readonly hint?: string;
  readonly errors?: readonly { readonly message: string }[];
}

function problemOf(failure: Failure): Problem {
  return problemReply(failure, context).value as Problem;
}

function envelopeOf(failure: Failure): string {
  const reply = problemReply(failure, { ...context, host: 'auth' });
  return (reply.value as { message: string }).message;
}

/** Faults that a reader of a message would stumble over. */
const faults: readonly (readonly [what: string, fault: RegExp])[] = [
  ['has no end', /[^.?!…:]$/u],
  ['ends twice', /[.?!]\.$|\.\. /u],
  [
    'has two sentences in one',
    /[\w)"\]] (?:Ask|Choose|Leave|Read|Restore|Send|Take|Try|Use|Wait|Write) [a-z]/u,
  ],
  ['has a hole', /\{\w+\}/u],
  ['names a document without its address', /(?<!quire\.example\/)\bdocs\//u],
  ['is the text of a library', /\bInvalid [a-z]|received|expected \w+,|must match pattern/u],
  ['shows what is missing', /\bundefined\b|\bNaN\b|\[object/u],
];

function checkText(t: Test, text: string, where: string): void {
  for (const [what, fault] of faults) {
    if (fault.test(text)) t.fail(`${where} ${what}: ${text}`);
  }
}

t.test(
  'each failure of the catalogue says whole sentences, to agents and to identity',
  async (t) => {
    for (const key of keys) {
      const failure = new Failure(key);
      const { detail, hint = '.' } = problemOf(failure);
      for (const text of [detail, hint, envelopeOf(failure)]) checkText(t, text, key);
      const told = new Failure(key, { detail: 'It is so', hint: 'Do this' });
      t.match(envelopeOf(told), /^It is so\. \S.*\.$/u);
    }
    t.ok(keys.length > 80);
  },
);

t.test('every text that the source has for a refusal is whole sentences', async (t) => {
  const texts = writtenTexts();
  t.ok(texts.length > 300, `${texts.length} texts`);
  for (const { member, text, where } of texts) {
    if (member === 'message') {
      const errors = [{ pointer: '/a', code: 'b', message: text }];
      const [error] = problemOf(new Failure('invalidRequest', { errors })).errors ?? [];
      checkText(t, error?.message ?? '', where);
      continue;
    }
    const failure = new Failure('invalidRequest', { [member]: text });
    checkText(t, problemOf(failure)[member] ?? '', where);
    checkText(t, envelopeOf(failure), where);
  }
});

t.test('each code of a rejection has a hint and a message that are sentences', async (t) => {
  for (const code of Object.keys(rejections) as RejectionCode[]) {
    const { hint, message } = rejectionError(new Rejection(code, 'the sheet is not there'));
    checkText(t, hint, code);
    t.match(hint, /^[A-Z]/u, `${code} begins as a sentence does`);
    t.equal(message, 'the sheet is not there.');
  }
});

t.test('a hint names what the request named, and documents by their address', async (t) => {
  const hintOf = (hint: string, more: object = {}): string | undefined =>
    (problemReply(new Failure('notFound', { hint }), { ...context, ...more }).value as Problem)
      .hint;
  const branches = 'GET /v1/workbooks/{id}/branches/{branch}/state has it';
  t.equal(hintOf(branches), 'GET /v1/workbooks/wb_1/branches/a%2Fb/state has it.');
  t.equal(hintOf(branches, { named: {} }), 'GET /v1/workbooks/…/branches/…/state has it.');
  t.equal(hintOf('GET /v1/{toString}'), 'GET /v1/…');
  t.equal(hintOf('Its sheets are: {id}.'), 'Its sheets are: {id}.', 'a name of somebody stays');
  t.equal(hintOf('See docs/merges.md.'), `See ${base}/docs/merges.md.`);
  t.equal(hintOf(`See ${base}/docs/merges.md.`), `See ${base}/docs/merges.md.`);
  const asked = new Failure('notFound', { detail: 'No such thing', hint: 'GET /v1/{id}' });
  t.equal(envelopeOf(asked), 'No such thing. GET /v1/wb_1.');
});

/** Values that no member takes, values that most take, and values at the edge. */
const junk: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  Number.NaN,
  '',
  'x',
  'x'.repeat(40_000),
  [],
  [null],
  Array.from({ length: 2_000 }, () => 1),
  {},
  { kind: 'x' },
  { colour: 1 },
];

t.test('no route answers with the words of a library, whatever it is sent', async (t) => {
  let refusals = 0;
  for (const route of wholeRouteTable()) {
    const validator = new Validator(route);
    const where = `${route.method} ${route.path}`;
    const refused = (act: () => unknown): void => {
      try {
        act();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refusals++;
        const { detail, hint = '.', errors = [] } = problemOf(error);
        const messages = errors.map(({ message }) => message);
        for (const text of [detail, hint, ...messages]) checkText(t, text, where);
      }
    };
    const { body, query, params } = route.request;
    for (const name of Object.keys(query?.shape ?? {})) {
      for (const value of ['', 'x', '-1', '1e999', '%00', 'x'.repeat(3_000)]) {
        refused(() => validator.query(`${name}=${value}`));
      }
    }
    refused(() => validator.query('colour=1'));
    for (const value of ['', '.', 'x y', 'x'.repeat(3_000)]) {
      refused(() =>
        validator.params(
          Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, value])),
        ),
      );
    }
    for (const value of junk) refused(() => validator.body(value));
    const members = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    for (const name of [...members, 'colour']) {
      for (const value of junk) refused(() => validator.body({ [name]: value }));
    }
  }
  t.ok(refusals > 1_000, `${refusals} refusals`);
});
