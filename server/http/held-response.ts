import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { HttpResponse } from 'uWebSockets.js';

import type { Listener } from './listener.ts';

/**
 * A response to a request of the service to itself, which never ends. It is corked while another
 * response becomes a websocket: uWebSockets.js wants writes inside of a cork, but it may close a
 * connection that becomes a websocket while itself corked, because it then reads memory that is
 * free by that time (uNetworking/uWebSockets, issue 1928).
 */
export class HeldResponse {
  readonly #path = `/${randomBytes(16).toString('hex')}`;
  readonly #listener: Listener;
  #socket: Socket | undefined;
  #opening: Promise<HttpResponse | undefined> | undefined;
  #take: (response: HttpResponse) => void = (response) => response.close();

  constructor(listener: Listener) {
    this.#listener = listener;
    listener.app.get(this.#path, (response) => this.#take(response));
  }

  /** Resolves with the response, at once where it is there; with undefined when none can be had. */
  open(): Promise<HttpResponse | undefined> {
    this.#opening ??= this.#request();
    return this.#opening;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #request(): Promise<HttpResponse | undefined> {
    const { port, host } = this.#listener;
    const socket = connect(port, reachable[host] ?? host);
    this.#socket = socket;
    socket.unref();
    return new Promise((resolve) => {
      const lost = (): void => {
        if (this.#socket === socket) this.#opening = undefined;
        resolve(undefined);
      };
      this.#take = (response) => {
        response.onAborted(lost);
        resolve(response);
      };
      // Any error is followed by the end.
      socket.on('error', () => undefined);
      socket.on('close', lost);
      socket.write(`GET ${this.#path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    });
  }
}

/** Addresses at which a process reaches itself where it listens on all of a family. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
