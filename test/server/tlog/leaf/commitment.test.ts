import { createHash, createHmac, hkdfSync } from 'node:crypto';
import t from 'tap';

import {
  checkOpening,
  commit,
  formatEntry,
  formatOpening,
  leafHashOf,
  parseEntry,
  parseOpening,
} from '../../../../server/tlog/leaf/commitment.ts';
import { formatStatement } from '../../../../server/tlog/leaf/statement.ts';
import { WorkbookKey } from '../../../../server/tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import {
  formatProofFile,
  parseProofFile,
  verifyProofFile,
} from '../../../../server/tlog/note/proof-file.ts';
import { AuthenticTiles } from '../../../../server/tlog/tree/authentic-tiles.ts';
import { sha256 } from '../../../../server/tlog/tree/sha256.ts';
import { changedBytes, hasher, LogDouble, numberedEntries } from '../../../support/log-double.ts';
import { policy, signCheckpoint } from '../../../support/signed-log.ts';
import { statement, statementText } from '../../../support/statements.ts';

const secret = new Uint8Array(32).fill(5);
const key = new WorkbookKey(sha256, secret);
const opening = { salt: key.salt(statement), statement };

t.test('the entry is what the specification says, step by step', async (t) => {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(42n);
  const info = Buffer.concat([Buffer.from('tlog-saltmain\0'), place]);
  const salt = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), info, 32));
  t.same(Buffer.from(opening.salt), salt);
  const commitment = createHmac('sha256', salt).update(statementText).digest('base64');
  const entry = Buffer.from(formatEntry(commit(sha256, opening)));
  t.equal(entry.toString(), `wbtlog/v1\n${commitment}\n`);
  t.equal(entry.length, 55);
  const leaf = createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), entry]))
    .digest();
  t.same(Buffer.from(leafHashOf(sha256, opening)), leaf);
});

t.test('the same statement has the same entry, and no other has', async (t) => {
  const entry = (given: typeof opening): string =>
    Buffer.from(formatEntry(commit(sha256, given))).toString();
  const other = new WorkbookKey(sha256, new Uint8Array(32).fill(6));
  t.equal(entry({ ...opening, salt: key.salt({ ...statement }) }), entry(opening));
  const entries = [
    opening,
    { ...opening, salt: other.salt(statement) },
    { ...opening, salt: key.salt({ ...statement, lastSeq: 43 }) },
    { ...opening, salt: key.salt({ ...statement, branch: 'mai' }) },
    { ...opening, statement: { ...statement, timeMilliseconds: 1 } },
    { ...opening, statement: { ...statement, branch: 'other' } },
  ].map(entry);
  t.equal(new Set(entries).size, entries.length);
});

t.test('an opening shows what an entry is, and every changed byte is noticed', async (t) => {
  const entry = formatEntry(commit(sha256, opening));
  checkOpening(sha256, entry, parseOpening(formatOpening(opening)));
  const fault = { name: /^(Format|Proof)Fault$/ };
  for (const changed of changedBytes(entry)) {
    t.throws(() => checkOpening(sha256, changed, opening), fault);
  }
  for (const changed of changedBytes(formatOpening(opening))) {
    t.throws(() => checkOpening(sha256, entry, parseOpening(changed)), fault);
  }
});

t.test('one file proves a statement without the log and without us', async (t) => {
  const log = new LogDouble();
  const entries = numberedEntries(300);
  const tree = log.grow(entries.with(200, formatEntry(commit(sha256, opening))));
  const hashes = await new AuthenticTiles(hasher, log, tree).proveInclusion(200);
  const checkpoint = await signCheckpoint(tree, 2);
  const extra = formatOpening(opening);
  const file = Buffer.from(formatProofFile({ extra, index: 200, hashes, checkpoint }));
  const open = async (bytes: Uint8Array): Promise<string> => {
    const proof = parseProofFile(bytes);
    const opened = parseOpening(proof.extra ?? new Uint8Array());
    await verifyProofFile(nodeCrypto, policy, leafHashOf(sha256, opened), proof);
    return formatStatement(opened.statement);
  };
  t.equal(await open(file), statementText);
  for (const changed of changedBytes(file)) {
    await t.rejects(open(changed), { name: /^(Format|Proof)Fault$/ });
  }
});

t.test('what is no entry, and what is no opening, is refused', async (t) => {
  const text = Buffer.from(formatEntry(commit(sha256, opening))).toString();
  const entries = [
    '',
    text.trimEnd(),
    `${text}\n`,
    `${text}more\n`,
    text.replace('v1', 'v2'),
    text.replace('\n', '\r\n'),
    text.replace('=', ''),
    'wbtlog/v1\nAAAA\n',
  ];
  for (const entry of entries) {
    t.throws(() => parseEntry(Buffer.from(entry)), { name: 'FormatFault' }, JSON.stringify(entry));
  }
  const opened = Buffer.from(formatOpening(opening)).toString();
  const openings = [
    '',
    opened.trimEnd(),
    `${opened}\n`,
    opened.replace('v1', 'v2'),
    opened.replace('salt ', 'salt  '),
    opened.replace(/salt .*\n/, ''),
    opened.replace(/salt .*/, 'salt AAAA'),
    opened.replace('wbstatement', 'statement'),
  ];
  for (const given of openings) {
    t.throws(() => parseOpening(Buffer.from(given)), { name: 'FormatFault' }, given);
  }
  t.throws(() => formatEntry(new Uint8Array(31)), RangeError);
  t.throws(() => commit(sha256, { ...opening, salt: new Uint8Array(31) }), RangeError);
  t.throws(() => formatOpening({ ...opening, salt: new Uint8Array(64) }), RangeError);
  t.throws(() => new WorkbookKey(sha256, new Uint8Array(16)), RangeError);
});
