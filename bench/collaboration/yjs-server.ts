import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { WebSocketServer, type WebSocket } from 'ws';

import { requirePeer } from '../peers.ts';

// Rooms of y-websocket as its package has them, with documents in memory only.

interface RoomModule {
  readonly setupWSConnection: (socket: WebSocket, request: IncomingMessage) => void;
}

const { setupWSConnection } = requirePeer('y-websocket/bin/utils') as RoomModule;
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => setupWSConnection(socket, request));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Quire is ready: http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
