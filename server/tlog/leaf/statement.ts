import { decodeBase64Of, encodeBase64 } from '../encoding/base64.ts';
import { encodeText, readText } from '../encoding/bytes.ts';
import { checkCount, parseDecimal } from '../encoding/decimal.ts';
import { FormatFault, quote } from '../encoding/fault.ts';
import { hashBytes, type Sha256 } from '../tree/hasher.ts';

export const statementKinds = [
  'segment',
  'branch',
  'merge',
  'approval',
  'checkpoint',
  'archive',
  'restore',
  'purge',
] as const;
export type StatementKind = (typeof statementKinds)[number];

/**
 * Version 1 shows `chain` and `state` as they are, which lets the holder of a statement test
 * guesses about the content. Version 2 shows them under keys of the workbook. Both stay readable;
 * new statements are of version 2.
 */
export type StatementVersion = 1 | 2;

/**
 * A statement that the log vouches for, about one branch: known to those who may read the workbook.
 */
export interface Statement {
  readonly version: StatementVersion;
  readonly kind: StatementKind;
  readonly workbook: string;
  readonly branch: string;
  /** The operations it covers, or twice the position it is about; both 0 before the first one. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Hashes of the statement before, zeros for the first; of a merge, of both its parents. */
  readonly previous: readonly Uint8Array[];
  /** The root over the operations. */
  readonly operations: Uint8Array;
  /** The hash chain of the journal after `lastSeq`; of version 2, an HMAC of it. */
  readonly chain: Uint8Array;
  /** The hash of the state; in version 2, an HMAC of it. */
  readonly state: Uint8Array | undefined;
  readonly timeMilliseconds: number;
}

const firstLines: Readonly<Record<StatementVersion, string>> = {
  1: 'wbstatement/v1',
  2: 'wbstatement/v2',
};
const noState = '-';
const names = [
  'kind',
  'workbook',
  'branch',
  'range',
  'prev',
  'ops',
  'chain',
  'state',
  'time',
] as const;
type Members = Record<(typeof names)[number], string>;

/** The statement before the first one of a branch. */
export const noStatement: Uint8Array = new Uint8Array(hashBytes);

export function statementHash(sha256: Sha256, statement: Statement): Uint8Array {
  return sha256(encodeText(formatStatement(statement)));
}

export function formatStatement(statement: Statement): string {
  const { firstSeq, lastSeq, previous, state, timeMilliseconds } = statement;
  // A text that cannot be parsed again must not be logged, as it could never be checked.
  checkParts(statement);
  const members: Members = {
    kind: statement.kind,
    workbook: statement.workbook,
    branch: statement.branch,
    range: `${firstSeq} ${lastSeq}`,
    prev: previous.map(formatHash).join(' '),
    ops: formatHash(statement.operations),
    chain: formatHash(statement.chain),
    state: state === undefined ? noState : formatHash(state),
    time: String(timeMilliseconds),
  };
  const lines = [firstLines[statement.version], ...names.map((name) => `${name} ${members[name]}`)];
  return `${lines.join('\n')}\n`;
}

function checkParts(statement: Statement): void {
  const { kind, workbook, branch, firstSeq, lastSeq, previous, timeMilliseconds } = statement;
  for (const count of [firstSeq, lastSeq, timeMilliseconds]) checkCount(count, 'a number');
  encodeText(checkedName(workbook, 'the workbook'));
  encodeText(checkedName(branch, 'the branch'));
  if (!isRange(firstSeq, lastSeq)) throw noRange(`${firstSeq} ${lastSeq}`);
  checkPreviousCount(previous, kind);
}

function formatHash(hash: Uint8Array): string {
  if (hash.length !== hashBytes) throw new RangeError(`a hash has ${hashBytes} bytes`);
  return encodeBase64(hash);
}

export function parseStatement(given: Uint8Array | string): Statement {
  const { version, members } = readMembers(readText(given, 'the statement'));
  const kind = statementKinds.find((name) => name === members.kind);
  if (kind === undefined) throw new FormatFault(`there is no kind ${quote(members.kind)}`);
  const [firstSeq = 0, lastSeq = 0] = readRange(members.range);
  return {
    version,
    kind,
    workbook: checkedName(members.workbook, 'the workbook'),
    branch: checkedName(members.branch, 'the branch'),
    firstSeq,
    lastSeq,
    previous: readPrevious(members.prev, kind),
    operations: readHash(members.ops, 'the root of the operations'),
    chain: readHash(members.chain, 'the hash of the chain'),
    state: members.state === noState ? undefined : readHash(members.state, 'the state'),
    timeMilliseconds: parseDecimal(members.time, 'the time'),
  };
}

function readMembers(text: string): { version: StatementVersion; members: Members } {
  const lines = text.split('\n');
  const isWhole = lines.length === names.length + 2 && lines.pop() === '';
  const version = versionOf(lines.shift());
  if (!isWhole || version === undefined) {
    const known = Object.values(firstLines).map(quote).join(' or ');
    throw new FormatFault(`a statement is ${known} and ${names.length} lines`);
  }
  const members: Partial<Members> = {};
  for (const [index, name] of names.entries()) {
    const line = lines[index] ?? '';
    if (!line.startsWith(`${name} `)) {
      throw new FormatFault(`line ${index + 2} of the statement is not ${name}: ${quote(line)}`);
    }
    members[name] = line.slice(name.length + 1);
  }
  return { version, members: members as Members };
}

function versionOf(line: string | undefined): StatementVersion | undefined {
  if (line === firstLines[1]) return 1;
  return line === firstLines[2] ? 2 : undefined;
}

function readRange(text: string): readonly number[] {
  const seqs = text.split(' ').map((item) => parseDecimal(item, 'an end of the range'));
  const [first = 0, last = 0] = seqs;
  if (seqs.length === 2 && isRange(first, last)) return seqs;
  throw noRange(text);
}

/** Returns whether these are the ends of a range; both are 0 before the first operation. */
function isRange(first: number, last: number): boolean {
  return (first === 0 && last === 0) || (first > 0 && first <= last);
}

function noRange(text: string): FormatFault {
  return new FormatFault(`${quote(text)} is no range of sequence numbers, which begin with 1`);
}

function readPrevious(text: string, kind: StatementKind): Uint8Array[] {
  const hashes = text.split(' ').map((item) => readHash(item, 'the hash of the statement before'));
  checkPreviousCount(hashes, kind);
  return hashes;
}

function checkPreviousCount(hashes: readonly Uint8Array[], kind: StatementKind): void {
  const wanted = kind === 'merge' ? 2 : 1;
  if (hashes.length === wanted) return;
  throw new FormatFault(`a ${kind} follows ${wanted} statements, not ${hashes.length}`);
}

function readHash(text: string, what: string): Uint8Array {
  return decodeBase64Of(hashBytes, text, what);
}

function checkedName(text: string, what: string): string {
  if (/^[^\p{Cc}\s\u0085]+$/u.test(text)) return text;
  throw new FormatFault(`${what} has no name without spaces: ${quote(text)}`);
}
