/**
 * An open websocket, as far as the protocol above it needs to know it. Nothing may be called on it
 * once its handler was told that it is closed, which `end` and `close` do before they return.
 */
export interface Wire {
  /** Hands over one frame; 2 means that it was dropped, because too much waits already. */
  send(frame: Uint8Array, isBinary: boolean): number;
  /** Bytes that wait for the other end to take them. */
  getBufferedAmount(): number;
  /** Says goodbye with a close code (RFC 6455, 7.4) and a reason of at most 123 bytes. */
  end(code: number, reason: string): void;
  /** Cuts the connection off. */
  close(): void;
  /** Frames that are sent within go out together. */
  cork(send: () => void): unknown;
}

/** Handles the events of a websocket on this end. */
export interface SocketHandler {
  opened(wire: Wire): void;
  /** Receives a frame, whose bytes are valid until it returns. */
  received(frame: Uint8Array, isBinary: boolean): void;
  /** Called when the other end took some of the waiting bytes. */
  drained(): void;
  closed(code: number): void;
}
