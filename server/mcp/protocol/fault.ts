import { errorCodes } from './names.ts';

interface FaultOptions {
  readonly data?: unknown;
  /** Status of the answer; 200 where the request was read and a part of it is refused. */
  readonly status?: number;
}

/** A request that the protocol refuses, before anything of the service is asked. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly code: number;
  readonly data: unknown;
  readonly status: number;

  constructor(code: number, message: string, { data, status = 200 }: FaultOptions = {}) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** Makes the fault of a malformed message. */
export function badMessage(message: string): ProtocolFault {
  return new ProtocolFault(errorCodes.invalidRequest, message, { status: 400 });
}

/** Parameters that the method does not take. */
export function badParams(message: string, data?: unknown): ProtocolFault {
  return new ProtocolFault(errorCodes.invalidParams, message, { data });
}

/** A header and the body that it repeats say different things. */
export function headerMismatch(header: string, message: string): ProtocolFault {
  const data = { mismatch: { header, body: message } };
  return new ProtocolFault(errorCodes.headerMismatch, message, { data, status: 400 });
}
