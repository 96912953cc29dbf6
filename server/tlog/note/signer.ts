import { encodeText } from '../encoding/bytes.ts';
import { cosignatureMessage, encodeCosignature } from './cosignature.ts';
import type { SignEd25519 } from './crypto.ts';
import type { NoteSignature } from './note.ts';
import type { VerifierKey } from './verifier-key.ts';

/** A key that can sign. `timeSeconds` is what a cosignature says of when; others say nothing. */
export interface NoteSigner {
  readonly key: VerifierKey;
  readonly sign: SignEd25519;
}

/** A log's signature of its text. */
export async function signNote(signer: NoteSigner, text: string): Promise<NoteSignature> {
  if (signer.key.type !== 'ed25519') {
    throw new RangeError(`${signer.key.name} is a key for cosignatures, which have a time`);
  }
  return lineOf(signer, await signer.sign(encodeText(text)));
}

/** A witness's signature of a checkpoint it found consistent with all it saw before. */
export async function cosignCheckpoint(
  signer: NoteSigner,
  text: string,
  timeSeconds: number,
): Promise<NoteSignature> {
  if (signer.key.type !== 'cosignature') {
    throw new RangeError(`${signer.key.name} is not a key for cosignatures`);
  }
  const signature = await signer.sign(cosignatureMessage(timeSeconds, text));
  return lineOf(signer, encodeCosignature(timeSeconds, signature));
}

function lineOf({ key }: NoteSigner, bytes: Uint8Array): NoteSignature {
  return { name: key.name, keyId: key.id, bytes };
}
