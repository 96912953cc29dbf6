import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';

/**
 * A verifier of the proof of one operation, written from docs/transparency-log.md and node:crypto,
 * without any code of server/.
 */

export interface SeenOperation {
  readonly origin: string;
  readonly treeSize: number;
  readonly leafIndex: number;
  readonly workbook: string;
  readonly branch: string;
  readonly seq: number;
  readonly record: Buffer;
  /** Seconds at which witnesses have seen the checkpoint, by name. */
  readonly witnessed: ReadonlyMap<string, number>;
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/** RFC 9162, section 2.1.3.2. */
function rootFrom(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer {
  if (index >= size) throw new Error('the index is beyond the tree');
  let [node, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) throw new Error('the path is too long');
    if (node % 2 === 1 || node === last) {
      hash = sha256(Buffer.of(1), sibling, hash);
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      hash = sha256(Buffer.of(1), hash, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  if (last !== 0) throw new Error('the path is too short');
  return hash;
}

function lineAfter(lines: readonly string[], name: string): string {
  const line = lines.find((candidate) => candidate.startsWith(`${name} `));
  if (line === undefined) throw new Error(`there is no line ${name}`);
  return line.slice(name.length + 1);
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

interface TrustedKey {
  readonly name: string;
  readonly id: string;
  readonly type: number;
  readonly bytes: Buffer;
}

/** `name+id+key`, of a line `log` or `witness` of a policy. */
function keysOf(policy: string): TrustedKey[] {
  const lines = policy.split('\n').filter((line) => /^(log|witness) /.test(line));
  return lines.map((line) => {
    const words = line.split(' ');
    const vkey = (words[0] === 'log' ? words[1] : words[2]) ?? '';
    const [name = '', id = ''] = vkey.split('+', 2);
    const key = fromBase64(vkey.slice(name.length + id.length + 2));
    return { name, id, type: key[0] ?? 0, bytes: key.subarray(1) };
  });
}

function isSigned({ bytes }: TrustedKey, message: string, signature: Buffer): boolean {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(message), key, signature);
}

function readCheckpoint(note: string, policy: string) {
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const [origin = '', size = '', root = ''] = text.split('\n');
  const witnessed = new Map<string, number>();
  let isLogSigned = false;
  for (const line of note.slice(split + 2).split('\n')) {
    const [, name, blob = ''] = line.split(' ');
    const bytes = fromBase64(blob);
    const id = bytes.subarray(0, 4).toString('hex');
    const key = keysOf(policy).find((known) => known.name === name && known.id === id);
    if (!key) continue;
    if (key.type === 1) {
      if (!isSigned(key, text, bytes.subarray(4))) throw new Error('the log did not sign this');
      isLogSigned ||= name === origin;
    } else {
      const seconds = Number(bytes.readBigUInt64BE(4));
      const message = `cosignature/v1\ntime ${seconds}\n${text}`;
      if (!isSigned(key, message, bytes.subarray(12))) throw new Error('a false witness');
      witnessed.set(key.name, seconds);
    }
  }
  if (!isLogSigned) throw new Error('no log of the policy has signed this');
  return { origin, size: Number(size), root: fromBase64(root), witnessed };
}

/** The statement that covers the operation; fails unless the record is the one it covers. */
function statementOf(lines: readonly string[]): string {
  if (lines[0] !== 'wboperation/v1' || lines[5] !== 'wbopening/v1') throw new Error('no operation');
  const statement = lines.slice(7).join('\n');
  if (!statement.startsWith('wbstatement/v')) throw new Error('no statement');
  const record = fromBase64(lineAfter(lines, 'record'));
  const nonce = fromBase64(lineAfter(lines, 'nonce'));
  if (nonce.length !== 16) throw new Error('the nonce has sixteen bytes');
  const seq = Number(lineAfter(lines, 'seq'));
  const [from = 0, to = 0] = lineAfter(lines, 'range').split(' ').map(Number);
  if (seq < from || seq > to) throw new Error('the statement does not cover the operation');
  const steps = lineAfter(lines, 'path');
  const operation = sha256(Buffer.of(0), nonce, record);
  const siblings = steps === '-' ? [] : steps.split(' ').map(fromBase64);
  const root = rootFrom(operation, seq - from, to - from + 1, siblings);
  if (!root.equals(fromBase64(lineAfter(lines, 'ops')))) throw new Error('another record');
  return statement;
}

export function readOperationProof(file: string, policy: string): SeenOperation {
  const end = file.indexOf('\n\n');
  const [first, ...head] = file.slice(0, end).split('\n');
  if (first !== 'c2sp.org/tlog-proof@v1') throw new Error('no proof file');
  const path = head.filter((line) => !line.includes(' ')).map(fromBase64);
  const leafIndex = Number(lineAfter(head, 'index'));
  const lines = fromBase64(lineAfter(head, 'extra')).toString('utf8').split('\n');
  const statement = statementOf(lines);
  const salt = fromBase64(lineAfter(lines, 'salt'));
  const commitment = createHmac('sha256', salt).update(statement).digest('base64');
  const leaf = sha256(Buffer.of(0), Buffer.from(`wbtlog/v1\n${commitment}\n`));
  const checkpoint = readCheckpoint(file.slice(end + 2), policy);
  const root = rootFrom(leaf, leafIndex, checkpoint.size, path);
  if (!root.equals(checkpoint.root)) throw new Error('the log has not this entry');
  return {
    origin: checkpoint.origin,
    treeSize: checkpoint.size,
    leafIndex,
    workbook: lineAfter(lines, 'workbook'),
    branch: lineAfter(lines, 'branch'),
    seq: Number(lineAfter(lines, 'seq')),
    record: fromBase64(lineAfter(lines, 'record')),
    witnessed: checkpoint.witnessed,
  };
}
