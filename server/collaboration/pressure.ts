/** Somebody for whom bytes wait that were not taken yet. */
export interface Pressing {
  readonly outlet: { readonly waitingBytes: number; cut(): void };
}

/** Bytes that wait for all of them. */
export function pressureOf(sockets: Iterable<Pressing>): number {
  let sum = 0;
  for (const { outlet } of sockets) sum += outlet.waitingBytes;
  return sum;
}

/**
 * Cuts off those for whom the most waits until all together hold no more than they may. A goodbye
 * would only wait behind the rest: their clients come back as after any loss of the connection.
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
