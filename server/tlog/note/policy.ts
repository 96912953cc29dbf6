import { readText } from '../encoding/bytes.ts';
import { FormatFault, ProofFault, quote } from '../encoding/fault.ts';
import { encodeBase64 } from '../encoding/base64.ts';
import { parseDecimal } from '../encoding/decimal.ts';
import type { Sha256 } from '../tree/hasher.ts';
import type { VerifiedNote } from './note.ts';
import { parseVerifierKey, type SignatureType, type VerifierKey } from './verifier-key.ts';

/** A key, and where its owner is reached. */
export interface PolicyKey {
  readonly key: VerifierKey;
  readonly url?: string;
}

/** A group, and how many of its members, witnesses or other groups, have to sign. */
export interface PolicyGroup {
  readonly threshold: number;
  readonly members: readonly string[];
}

/**
 * The keys to believe: a log of these, and as many witnesses as the quorum wants (C2SP
 * tlog-policy).
 */
export interface Policy {
  readonly logs: readonly PolicyKey[];
  readonly witnesses: ReadonlyMap<string, PolicyKey>;
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** A witness or a group; undefined if no witness is needed. */
  readonly quorum: string | undefined;
}

const noQuorum = 'none';
const policyBytesMost = 1_000_000;

/** Lists every key whose signature the policy looks at. */
export function keysOf(policy: Policy): VerifierKey[] {
  return [...policy.logs, ...policy.witnesses.values()].map(({ key }) => key);
}

/** Fails unless a log of the policy signed, under its own origin, and enough witnesses did. */
export function checkPolicy(policy: Policy, origin: string, note: VerifiedNote): void {
  const hasSigned = ({ key }: PolicyKey): boolean =>
    note.signatures.some((signature) => isSame(signature.key, key));
  const logs = policy.logs.filter(({ key }) => key.name === origin);
  if (logs.length === 0) {
    throw new ProofFault(`the policy has no log with the origin ${quote(origin)}`);
  }
  if (!logs.some(hasSigned)) throw new ProofFault(`${quote(origin)} has not signed`);
  const { quorum } = policy;
  const present = [...policy.witnesses].filter(([, witness]) => hasSigned(witness));
  const signed = new Set(present.map(([name]) => name));
  if (quorum === undefined || isQuorum(policy, (name) => signed.has(name))) return;
  const names = present.map(([name]) => quote(name)).join(', ');
  throw new ProofFault(`too few cosignatures for quorum ${quote(quorum)}: ${names || 'none'}`);
}

function isSame(left: VerifierKey, right: VerifierKey): boolean {
  return left.name === right.name && left.id === right.id && left.type === right.type;
}

/** Returns whether the witnesses that have signed are enough. */
export function isQuorum(policy: Policy, hasSigned: (witness: string) => boolean): boolean {
  return policy.quorum === undefined || isWitnessed(policy, policy.quorum, hasSigned);
}

function isWitnessed(
  policy: Policy,
  name: string,
  hasSigned: (witness: string) => boolean,
): boolean {
  if (policy.witnesses.has(name)) return hasSigned(name);
  const group = policy.groups.get(name);
  if (group === undefined) throw new ProofFault(`the policy does not say who ${quote(name)} is`);
  const met = group.members.filter((member) => isWitnessed(policy, member, hasSigned));
  return met.length >= group.threshold;
}

export function parsePolicy(sha256: Sha256, given: Uint8Array | string): Policy {
  if (given.length > policyBytesMost) throw new FormatFault('the policy is larger than 1 MB');
  const text = readText(given, 'the policy');
  if (text !== '' && !text.endsWith('\n')) {
    throw new FormatFault('the last line of the policy does not end in a line feed');
  }
  const reader = new PolicyReader(sha256);
  for (const [index, line] of text.split('\n').entries()) {
    try {
      reader.readLine(line);
    } catch (cause) {
      if (!(cause instanceof FormatFault)) throw cause;
      throw new FormatFault(`line ${index + 1} of the policy: ${cause.message}`);
    }
  }
  return reader.finish();
}

class PolicyReader {
  readonly #sha256: Sha256;
  readonly #logs: PolicyKey[] = [];
  readonly #witnesses = new Map<string, PolicyKey>();
  readonly #groups = new Map<string, PolicyGroup>();
  /** Names that are members of a group: a witness counts in one way only. */
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  readLine(line: string): void {
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(line)) {
      throw new FormatFault('it has a control character');
    }
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    const [keyword, ...rest] = items;
    if (keyword === undefined || keyword.startsWith('#')) return;
    if (keyword === 'log') this.#readLog(rest);
    else if (keyword === 'witness') this.#readWitness(rest);
    else if (keyword === 'group') this.#readGroup(rest);
    else if (keyword === 'quorum') this.#readQuorum(rest);
    else throw new FormatFault(`${quote(keyword)} is none of log, witness, group, quorum`);
  }

  finish(): Policy {
    if (this.#quorum === undefined) {
      throw new FormatFault('the policy has no quorum line; without witnesses it is: quorum none');
    }
    const quorum = this.#quorum === noQuorum ? undefined : this.#quorum;
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum };
  }

  #readLog([text, url, ...others]: readonly string[]): void {
    if (text === undefined || others.length > 0) throw new FormatFault('it is not: log vkey [url]');
    const key = this.#readKey(text, 'ed25519', this.#logs);
    this.#logs.push(url === undefined ? { key } : { key, url });
  }

  #readWitness([name, text, url, ...others]: readonly string[]): void {
    if (name === undefined || text === undefined || others.length > 0) {
      throw new FormatFault('it is not: witness name vkey [url]');
    }
    this.#checkNew(name);
    const key = this.#readKey(text, 'cosignature', [...this.#witnesses.values()]);
    this.#witnesses.set(name, url === undefined ? { key } : { key, url });
  }

  #readKey(text: string, type: SignatureType, others: readonly PolicyKey[]): VerifierKey {
    const key = parseVerifierKey(this.#sha256, text);
    if (key.type !== type) {
      throw new FormatFault(`${quote(key.name)} is not a key of type ${type} but ${key.type}`);
    }
    const own = encodeBase64(key.publicKey);
    const twin = others.find((other) => encodeBase64(other.key.publicKey) === own);
    if (twin === undefined) return key;
    throw new FormatFault(`${quote(key.name)} has the same key as ${quote(twin.key.name)}`);
  }

  #readGroup([name, threshold, ...members]: readonly string[]): void {
    if (name === undefined || threshold === undefined || members.length === 0) {
      throw new FormatFault('it is not: group name all|any|number member...');
    }
    this.#checkNew(name);
    for (const member of members) {
      this.#checkKnown(member);
      if (this.#members.has(member)) {
        throw new FormatFault(`${quote(member)} is a member of a group already`);
      }
      this.#members.add(member);
    }
    this.#groups.set(name, { threshold: readThreshold(threshold, members.length), members });
  }

  #readQuorum([name, ...others]: readonly string[]): void {
    if (name === undefined || others.length > 0) throw new FormatFault('it is not: quorum name');
    if (this.#quorum !== undefined) throw new FormatFault('there is a second quorum');
    if (name !== noQuorum) this.#checkKnown(name);
    this.#quorum = name;
  }

  #checkNew(name: string): void {
    if (name === noQuorum) throw new FormatFault('the name none stands for no witness');
    if (!this.#witnesses.has(name) && !this.#groups.has(name)) return;
    throw new FormatFault(`${quote(name)} is defined twice`);
  }

  #checkKnown(name: string): void {
    if (this.#witnesses.has(name) || this.#groups.has(name)) return;
    throw new FormatFault(`${quote(name)} is not defined above`);
  }
}

function readThreshold(text: string, memberCount: number): number {
  if (text === 'any') return 1;
  if (text === 'all') return memberCount;
  const threshold = parseDecimal(text, 'the threshold of the group');
  if (threshold >= 1 && threshold <= memberCount) return threshold;
  throw new FormatFault(`a group of ${memberCount} cannot need ${threshold}`);
}
