/** A body that is too large for memory; its bytes lie in object storage as they came. */
export interface SpooledBody {
  readonly id: string;
  readonly byteCount: number;
  readonly pieceCount: number;
  /** SHA-256 of the received bytes, by which bodies are compared. */
  readonly digest: Buffer;
  /** True where the bytes are gzip. */
  readonly isPacked: boolean;
  /**
   * Takes over the body, which the caller must delete; otherwise it is deleted with its request.
   */
  readonly keep: () => void;
}

/** Takes bytes in order, one call after the other; it has copied them when a call is over. */
export interface SpoolWriter {
  write(bytes: readonly Uint8Array[]): Promise<void>;
  /** Makes the last of it durable. */
  end(): Promise<Pick<SpooledBody, 'id' | 'byteCount' | 'pieceCount' | 'digest'>>;
  drop(): Promise<void>;
}

export interface BodySpool {
  open(): SpoolWriter;
}
