import process from 'node:process';
import { WebSocketServer } from 'ws';

// Baseline of fan-out without order, durability or resuming: each text goes to everybody.

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => {
    for (const other of server.clients)
      if (other !== socket) other.send(data, { binary: isBinary });
  });
});
server.on('listening', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`Quire is ready: http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
