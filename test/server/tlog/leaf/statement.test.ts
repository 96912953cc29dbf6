import { createHash } from 'node:crypto';
import t from 'tap';

import {
  formatStatement,
  noStatement,
  parseStatement,
  statementHash,
  statementKinds,
  type Statement,
} from '../../../../server/tlog/leaf/statement.ts';
import { sha256 } from '../../../../server/tlog/tree/sha256.ts';
import { changedBytes } from '../../../support/log-double.ts';
import { statement, statementText } from '../../../support/statements.ts';

/** With hashes as text, so that copies of bytes compare. */
function plain(given: Statement): unknown {
  return JSON.parse(JSON.stringify(given));
}

t.test('a statement is its lines, and read from them', async (t) => {
  t.equal(formatStatement(statement), statementText);
  t.same(plain(parseStatement(Buffer.from(statementText))), plain(statement));
  t.equal(
    Buffer.from(statementHash(sha256, statement)).toString('hex'),
    createHash('sha256').update(statementText).digest('hex'),
  );
});

t.test('every kind is written and read', async (t) => {
  for (const kind of statementKinds) {
    const previous = kind === 'merge' ? [noStatement, noStatement] : [noStatement];
    const given = { ...statement, kind, previous, state: undefined, firstSeq: 0, lastSeq: 0 };
    const text = formatStatement(given);
    t.match(text, `kind ${kind}\n`);
    t.match(text, 'state -\n');
    t.same(plain(parseStatement(text)), plain(given));
  }
});

t.test('each statement has one text: what is read is written again in the same way', async (t) => {
  let readCount = 0;
  for (const changed of changedBytes(Buffer.from(statementText))) {
    try {
      const again = Buffer.from(formatStatement(parseStatement(changed)));
      if (!again.equals(changed)) t.fail(again.toString());
      readCount++;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'FormatFault') t.fail(String(error));
    }
  }
  t.ok(readCount > 100, `${readCount} other statements`);
});

t.test('what is no statement is refused', async (t) => {
  const change = (from: string | RegExp, to: string): string => statementText.replace(from, to);
  const hash = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
  const wrong = [
    '',
    statementText.trimEnd(),
    `${statementText}\n`,
    `${statementText}more\n`,
    ` ${statementText}`,
    `\ufeff${statementText}`,
    statementText.replaceAll('\n', '\r\n'),
    change('/v1', '/v3'),
    change('kind segment', 'kind Segment'),
    change('kind segment', 'kind edit'),
    change('kind segment\nworkbook', 'workbook'),
    change(/kind segment\n(workbook .*\n)/, '$1kind segment\n'),
    change('branch main', 'branch '),
    change('branch main', 'branch ma in'),
    change('branch main', 'branch main '),
    change('branch main', 'branch\tmain'),
    change('branch main', 'branch ma\u0000in'),
    change('range 1 42', 'range 1 42 43'),
    change('range 1 42', 'range 1'),
    change('range 1 42', 'range 0 42'),
    change('range 1 42', 'range 43 42'),
    change('range 1 42', 'range 01 42'),
    change('range 1 42', 'range 1  42'),
    change('range 1 42', 'range 1 -'),
    change(hash, ''),
    change(hash, '-'),
    change(hash, `${hash} ${hash}`),
    change('kind segment', 'kind merge'),
    change(hash, hash.slice(0, -1)),
    change(hash, 'AAAA'),
    change(/state .*/, 'state'),
    change(/state .*/, 'state --'),
    change('time 1795300000123', 'time 1795300000123.0'),
    change('time 1795300000123', 'time -1'),
  ];
  for (const text of wrong) {
    t.throws(() => parseStatement(text), { name: 'FormatFault' }, JSON.stringify(text));
  }
});

t.test('what could not be read is not written', async (t) => {
  const wrong: Partial<Statement>[] = [
    { workbook: '' },
    { branch: 'a\nb' },
    { branch: 'a b' },
    { branch: '\ud800' },
    { firstSeq: 43 },
    { firstSeq: 0 },
    { lastSeq: 1.5 },
    { timeMilliseconds: Number.NaN },
    { previous: [] },
    { previous: [noStatement, noStatement] },
    { operations: new Uint8Array(31) },
    { chain: new Uint8Array(33) },
  ];
  for (const change of wrong) {
    const write = () => formatStatement({ ...statement, ...change });
    t.throws(write, { name: /^(FormatFault|RangeError)$/ }, JSON.stringify(change));
  }
});
