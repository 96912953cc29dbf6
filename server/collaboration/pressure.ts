/** A socket with bytes that its client has not taken. */
export interface Pressing {
  readonly outlet: { readonly waitingBytes: number; cut(): void };
}

/** Sum of the bytes that wait. */
export function pressureOf(sockets: Iterable<Pressing>): number {
  let sum = 0;
  for (const { outlet } of sockets) sum += outlet.waitingBytes;
  return sum;
}

/**
 * Cuts off the sockets with the most waiting bytes until the sum is within its limit. A close frame
 * would only wait behind the rest; their clients reconnect as after any lost connection.
 */
export function relieve(sockets: ReadonlySet<Pressing>, bytesMost: number): number {
  let sum = pressureOf(sockets);
  if (sum <= bytesMost) return 0;
  const weighed = [...sockets].map((socket) => ({ socket, bytes: socket.outlet.waitingBytes }));
  let cutCount = 0;
  for (const { socket, bytes } of weighed.toSorted((a, b) => b.bytes - a.bytes)) {
    if (sum <= bytesMost) break;
    sum -= bytes;
    cutCount++;
    socket.outlet.cut();
  }
  return cutCount;
}
