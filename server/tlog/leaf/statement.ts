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

/** What the log vouches for, of one branch: known to those who may read the workbook. */
export interface Statement {
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
  /** The hash chain of the journal after `lastSeq`. */
  readonly chain: Uint8Array;
  readonly state: Uint8Array | undefined;
  readonly timeMilliseconds: number;
}

const firstLine = 'wbstatement/v1';
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
  for (const count of [firstSeq, lastSeq, timeMilliseconds]) checkCount(count, 'a number');
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
  const text = [firstLine, ...names.map((name) => `${name} ${members[name]}`), ''].join('\n');
  // What could not be read again must not be logged: nobody could ever check it.
  parseStatement(text);
  return text;
}

function formatHash(hash: Uint8Array): string {
  if (hash.length !== hashBytes) throw new RangeError(`a hash has ${hashBytes} bytes`);
  return encodeBase64(hash);
}

export function parseStatement(given: Uint8Array | string): Statement {
  const members = readMembers(readText(given, 'the statement'));
  const kind = statementKinds.find((name) => name === members.kind);
  if (kind === undefined) throw new FormatFault(`there is no kind ${quote(members.kind)}`);
  const [firstSeq = 0, lastSeq = 0] = readRange(members.range);
  return {
    kind,
    workbook: readName(members.workbook, 'the workbook'),
    branch: readName(members.branch, 'the branch'),
    firstSeq,
    lastSeq,
    previous: readPrevious(members.prev, kind),
    operations: readHash(members.ops, 'the root of the operations'),
    chain: readHash(members.chain, 'the hash of the chain'),
    state: members.state === noState ? undefined : readHash(members.state, 'the state'),
    timeMilliseconds: parseDecimal(members.time, 'the time'),
  };
}

function readMembers(text: string): Members {
  const lines = text.split('\n');
  if (lines.length !== names.length + 2 || lines.shift() !== firstLine || lines.pop() !== '') {
    throw new FormatFault(`a statement is ${quote(firstLine)} and ${names.length} lines`);
  }
  const members: Partial<Members> = {};
  for (const [index, name] of names.entries()) {
    const line = lines[index] ?? '';
    if (!line.startsWith(`${name} `)) {
      throw new FormatFault(`line ${index + 2} of the statement is not ${name}: ${quote(line)}`);
    }
    members[name] = line.slice(name.length + 1);
  }
  return members as Members;
}

function readRange(text: string): readonly number[] {
  const seqs = text.split(' ').map((item) => parseDecimal(item, 'an end of the range'));
  const [first = 0, last = 0] = seqs;
  const isEmpty = first === 0 && last === 0;
  if (seqs.length === 2 && (isEmpty || (first > 0 && first <= last))) return seqs;
  throw new FormatFault(`${quote(text)} is no range of sequence numbers, which begin with 1`);
}

function readPrevious(text: string, kind: StatementKind): Uint8Array[] {
  const hashes = text.split(' ').map((item) => readHash(item, 'the hash of the statement before'));
  const wanted = kind === 'merge' ? 2 : 1;
  if (hashes.length === wanted) return hashes;
  throw new FormatFault(`a ${kind} follows ${wanted} statements, not ${hashes.length}`);
}

function readHash(text: string, what: string): Uint8Array {
  return decodeBase64Of(hashBytes, text, what);
}

function readName(text: string, what: string): string {
  if (/^[^\p{Cc}\s\u0085]+$/u.test(text)) return text;
  throw new FormatFault(`${what} has no name without spaces: ${quote(text)}`);
}
