import t from 'tap';

import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import type { VerifiedNote } from '../../../../server/tlog/note/note.ts';
import { checkPolicy, keysOf, parsePolicy } from '../../../../server/tlog/note/policy.ts';
import { formatVerifierKey } from '../../../../server/tlog/note/verifier-key.ts';
import {
  logSigner,
  origin,
  policy,
  policyText,
  witnessSigners,
} from '../../../support/signed-log.ts';

const log = formatVerifierKey(logSigner.key);
const [w1 = '', w2 = '', w3 = ''] = witnessSigners.map(({ key }) => formatVerifierKey(key));
const parse = (...lines: string[]): ReturnType<typeof parsePolicy> =>
  parsePolicy(nodeCrypto.sha256, lines.map((line) => `${line}\n`).join(''));

/** A note that the log and these witnesses have signed. */
function signedBy(...witnesses: number[]): VerifiedNote {
  const signers = witnesses.map((number) => witnessSigners[number - 1] ?? logSigner);
  return { text: '', signatures: [logSigner, ...signers].map(({ key }) => ({ key })) };
}

t.test('a quorum of any size is counted', async (t) => {
  const check =
    (...witnesses: number[]) =>
    (): void =>
      checkPolicy(policy, origin, signedBy(...witnesses));
  t.throws(check(), { name: 'ProofFault', message: /none/ });
  t.throws(check(1), { name: 'ProofFault', message: /"w1"/ });
  t.throws(check(1, 1, 1), { name: 'ProofFault' }, 'one witness counts once');
  t.doesNotThrow(check(1, 2));
  t.doesNotThrow(check(3, 1));
  t.doesNotThrow(check(1, 2, 3));
});

t.test('groups are counted in groups', async (t) => {
  const nested = parse(
    '# whom we trust',
    `log ${log}`,
    '',
    ` \twitness\tX1 ${w1}  https://x1.example/`,
    `witness X2 ${w2}`,
    `witness Y ${w3}`,
    '  # a comment',
    'group X any X1 X2',
    'group both all X Y',
    'quorum both',
  );
  const check =
    (...witnesses: number[]) =>
    (): void =>
      checkPolicy(nested, origin, signedBy(...witnesses));
  t.throws(check(1, 2), { name: 'ProofFault' });
  t.throws(check(3), { name: 'ProofFault' });
  t.doesNotThrow(check(1, 3));
  t.doesNotThrow(check(2, 3));
  t.equal(nested.witnesses.get('X1')?.url, 'https://x1.example/');
  t.equal(keysOf(nested).length, 4);
});

t.test('a single witness, or none, is a quorum too', async (t) => {
  const one = parse(`log ${log}`, `witness w ${w1}`, 'quorum w');
  t.throws(() => checkPolicy(one, origin, signedBy(2)), { name: 'ProofFault' });
  t.doesNotThrow(() => checkPolicy(one, origin, signedBy(1)));
  const none = parse('quorum none', `log ${log}`);
  t.doesNotThrow(() => checkPolicy(none, origin, signedBy()));
});

t.test('a log signs under its own origin alone', async (t) => {
  const none = parse(`log ${log}`, 'quorum none');
  t.throws(() => checkPolicy(none, 'other.example', signedBy()), {
    message: /no log with the origin/,
  });
  const witnesses = { text: '', signatures: witnessSigners.map(({ key }) => ({ key })) };
  t.throws(() => checkPolicy(policy, origin, witnesses), { message: /has not signed/ });
  t.throws(() => checkPolicy(parse('quorum none'), origin, signedBy()), { name: 'ProofFault' });
});

t.test('what is no policy is refused, and said in which line', async (t) => {
  const head = [`log ${log}`, `witness a ${w1}`, `witness b ${w2}`];
  const wrong: [string[], RegExp][] = [
    [[], /no quorum line/],
    [head, /no quorum line/],
    [[...head, 'quorum c'], /line 4.*"c" is not defined/],
    [['quorum a', ...head], /line 1.*"a" is not defined/],
    [[...head, 'quorum a', 'quorum a'], /line 5.*second quorum/],
    [[...head, 'quorum a b'], /quorum name/],
    [[...head, 'quorum'], /quorum name/],
    [[...head, 'group g 3 a b', 'quorum g'], /cannot need 3/],
    [[...head, 'group g 0 a b', 'quorum g'], /cannot need 0/],
    [[...head, 'group g 01 a b', 'quorum g'], /leading zeros/],
    [[...head, 'group g most a b', 'quorum g'], /decimal/],
    [[...head, 'group g any', 'quorum g'], /member/],
    [[...head, 'group g any a a', 'quorum g'], /member of a group already/],
    [[...head, 'group g any a', 'group h any a g', 'quorum h'], /member of a group already/],
    [[...head, 'group g any g', 'quorum g'], /not defined/],
    [[...head, 'group g any none', 'quorum g'], /not defined/],
    [[...head, 'group a any b', 'quorum a'], /defined twice/],
    [[...head, 'group none any b', 'quorum none'], /none/],
    [[...head, `witness a ${w3}`, 'quorum a'], /defined twice/],
    [[...head, `witness none ${w3}`, 'quorum a'], /none/],
    [[...head, `witness c ${w1}`, 'quorum a'], /same key/],
    [[...head, `log ${log}`, 'quorum a'], /same key/],
    [[...head, `witness c ${log}`, 'quorum a'], /not a key of type cosignature/],
    [[...head, `log ${w3}`, 'quorum a'], /not a key of type ed25519/],
    [[...head, `log ${log.replace('a', 'b')}`, 'quorum a'], /line 4/],
    [[...head, 'log', 'quorum a'], /log vkey/],
    [[...head, `witness c ${w3} url more`, 'quorum a'], /witness name/],
    [[...head, 'threshold 2', 'quorum a'], /"threshold" is none of/],
    [[...head, 'Quorum a'], /"Quorum" is none of/],
    [[...head, 'quorum a # why'], /quorum name/],
    [[...head, 'quorum a\r'], /control character/],
    [[...head, 'quorum\va'], /control character/],
    [[...head, '#\u007f', 'quorum a'], /control character/],
    [[...head, 'quorum\u00a0a'], /is none of/],
  ];
  for (const [lines, message] of wrong) {
    t.throws(() => parse(...lines), { name: 'FormatFault', message }, lines.at(-1) ?? 'nothing');
  }
  t.throws(() => parsePolicy(nodeCrypto.sha256, policyText.trimEnd()), { message: /line feed/ });
  t.throws(() => parsePolicy(nodeCrypto.sha256, Buffer.from([0x23, 0xff, 0x0a])), {
    message: /UTF-8/,
  });
});
