import { createHmac, hkdfSync } from 'node:crypto';
import t from 'tap';

import { makeStatement, type StatementFacts } from '../../../../server/tlog/leaf/facts.ts';
import {
  formatStatement,
  parseStatement,
  statementKinds,
  type Statement,
} from '../../../../server/tlog/leaf/statement.ts';
import { WorkbookKey } from '../../../../server/tlog/leaf/workbook-key.ts';
import { sha256 } from '../../../../server/tlog/tree/sha256.ts';
import { statement, statementText } from '../../../support/statements.ts';

const secret = new Uint8Array(32).fill(5);
const key = new WorkbookKey(sha256, secret);
const { version: _version, ...facts } = statement;

function derived(...parts: readonly (string | number)[]): Buffer {
  const info = parts.map((part) => {
    if (typeof part === 'string') return Buffer.from(part);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(part));
    return bytes;
  });
  return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), Buffer.concat(info), 32));
}

function hidden(name: string, hash: Uint8Array | undefined): string {
  return createHmac('sha256', derived(name))
    .update(hash ?? '')
    .digest('base64');
}

t.test('version 2 shows chain and state under keys of the workbook, and no more', async (t) => {
  const made = makeStatement(key, facts);
  const expected = statementText
    .replace('wbstatement/v1', 'wbstatement/v2')
    .replace(/chain .*/, `chain ${hidden('tlog-chain', facts.chain)}`)
    .replace(/state .*/, `state ${hidden('tlog-state', facts.state)}`);
  t.equal(formatStatement(made), expected);
  t.equal(formatStatement(parseStatement(expected)), expected);
  t.match(formatStatement(makeStatement(key, { ...facts, state: undefined })), 'state -\n');
  t.equal(formatStatement(makeStatement(key, facts, 1)), statementText, 'version 1 stays');
});

t.test('the salt of version 2 is derived from kind, branch and position', async (t) => {
  for (const kind of statementKinds) {
    const said = { ...statement, version: 2, kind } as const;
    const isRepeated = ['approval', 'archive', 'restore', 'purge'].includes(kind);
    const time = isRepeated ? [said.timeMilliseconds] : [];
    t.same(Buffer.from(key.salt(said)), derived(`tlog-salt2${kind}\0main\0`, 42, ...time), kind);
  }
});

t.test('no two statements share a salt, and none shares its nonce with an operation', async (t) => {
  const salts = new Set<string>();
  const salt = (change: Partial<Statement>): void => {
    const said = { ...statement, version: 2, ...change } as const;
    salts.add(Buffer.from(key.salt(said)).toString('hex'));
  };
  for (const kind of statementKinds) salt({ kind });
  salt({ lastSeq: 43 });
  salt({ branch: 'other' });
  salt({ version: 1 });
  salt({ kind: 'approval', timeMilliseconds: 1 });
  salt({ kind: 'archive', timeMilliseconds: 1 });
  t.equal(salts.size, statementKinds.length + 5);
  const nonces = [
    key.nonce('main', 42),
    key.approvalNonce('main', 42, 1),
    key.approvalNonce('main', 42, 2),
    key.approvalNonce('main', 43, 1),
    key.approvalNonce('q3', 42, 1),
  ].map((nonce) => Buffer.from(nonce).toString('hex'));
  t.equal(new Set(nonces).size, nonces.length);
  for (const nonce of nonces) t.equal(nonce.length, 32);
});

t.test('another workbook shows the same hashes as others', async (t) => {
  const other = new WorkbookKey(sha256, new Uint8Array(32).fill(6));
  const [one, two] = [key, other].map((by) => makeStatement(by, facts satisfies StatementFacts));
  t.notSame(one?.chain, two?.chain);
  t.notSame(one?.state, two?.state);
  t.notSame(one?.chain, one?.state);
});
