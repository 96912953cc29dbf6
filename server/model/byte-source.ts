/** Bytes that can be read from their beginning more than once, each block with a buffer of its own. */
export type ByteSource = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
