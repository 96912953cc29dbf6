/** Why a provider gave no answer that can be used; the code is that of the match that fails. */
export type FaultCode =
  | 'provider_auth'
  | 'provider_unavailable'
  | 'provider_refused'
  | 'provider_bad_answer'
  | 'provider_bad_vector'
  | 'provider_cap';

/** A fault of a provider. The text has nothing of its address or its answer. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
