/**
 * Reasons for which the service closes a socket, with their codes: those below 4000 of RFC 6455
 * (7.4), the others of docs/protocol.md.
 */
export const closeCodes = {
  finished: 1000,
  draining: 1001,
  tooBig: 1009,
  internal: 1011,
  overload: 1013,
  malformed: 4400,
  credentialEnded: 4401,
  roleLost: 4403,
  branchDeleted: 4404,
  helloMissing: 4408,
  takenOver: 4409,
  workbookPurged: 4410,
  slowConsumer: 4413,
  protocolVersion: 4426,
  rateAbuse: 4429,
} as const;

export type CloseReason = keyof typeof closeCodes;

/** An error of the client that ends its socket. */
export class ProtocolFault extends Error {
  readonly reason: CloseReason;

  constructor(reason: CloseReason, message: string) {
    super(message);
    this.name = 'ProtocolFault';
    this.reason = reason;
  }
}

/** Bytes of a close frame that are left for the reason (RFC 6455, 5.5). */
const reasonBytesMost = 123;

export function reasonText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= reasonBytesMost) return text;
  let end = reasonBytesMost;
  // Never cut within a UTF-8 character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}
