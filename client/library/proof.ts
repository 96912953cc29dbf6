import { ProofFault } from '../../server/tlog/encoding/fault.ts';
import { leafHashOf, parseOpening } from '../../server/tlog/leaf/commitment.ts';
import {
  isOperationOpening,
  verifyOperationFile,
} from '../../server/tlog/leaf/operation-opening.ts';
import type { Statement } from '../../server/tlog/leaf/statement.ts';
import { parsePolicy } from '../../server/tlog/note/policy.ts';
import { parseProofFile, verifyProofFile } from '../../server/tlog/note/proof-file.ts';
import { webCrypto } from '../../server/tlog/note/web-crypto.ts';

/** Facts that a verified proof establishes, for whoever trusts the keys of the policy. */
export interface Proven {
  readonly statement: Statement;
  /** Name of the log, and its size in entries. */
  readonly origin: string;
  readonly size: number;
  /** Sequence number of the operation, if the proof is of one. */
  readonly seq?: number;
  /** The operation as the journal stores it, in msgpack. */
  readonly record?: Uint8Array;
}

const noCrypto =
  'Nothing was checked: this platform has no Web Crypto. On Node 18 begin with globalThis.crypto ??= (await import("node:crypto")).webcrypto; a page has it under https or localhost.';

/** A `.tlog-proof` file. It can be stored, and verified anywhere without the service. */
export class Proof {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Verifies the proof. Throws ProofFault unless a log of the policy contains what the file says.
   */
  async verify(policyText: string): Promise<Proven> {
    const { crypto } = globalThis as { crypto?: { subtle?: unknown } };
    if (!crypto?.subtle) throw new Error(noCrypto);
    try {
      return await this.#verify(policyText);
    } catch (error) {
      if (error instanceof ProofFault) throw error;
      throw new ProofFault(error instanceof Error ? error.message : String(error));
    }
  }

  async #verify(policyText: string): Promise<Proven> {
    const { sha256 } = webCrypto;
    const policy = parsePolicy(sha256, policyText);
    const file = parseProofFile(this.text);
    const extra = file.extra ?? new Uint8Array();
    if (isOperationOpening(extra)) {
      const proven = await verifyOperationFile(webCrypto, policy, this.text);
      const { opening, proof, record, checkpoint } = proven;
      const { origin, size } = checkpoint;
      return { statement: opening.statement, origin, size, seq: proof.seq, record };
    }
    const opening = parseOpening(extra);
    const leafHash = leafHashOf(sha256, opening);
    const { checkpoint } = await verifyProofFile(webCrypto, policy, leafHash, file);
    return { statement: opening.statement, origin: checkpoint.origin, size: checkpoint.size };
  }
}
