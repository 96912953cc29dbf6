import uws from 'uWebSockets.js';
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';

import { StartRefused } from '../model/start-refused.ts';

// The types leave out what the library has: a host together with options.
declare module 'uWebSockets.js' {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      whenDone: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

/**
 * LIBUS_LISTEN_EXCLUSIVE_PORT of the library: without it a second process on the same port gets a
 * share of the requests (SO_REUSEPORT).
 */
const exclusivePort = 1;

/** A port that is taken, before there is somebody to answer: connections are closed until then. */
export class Listener {
  readonly host: string;
  readonly port: number;
  readonly app: TemplatedApp;
  #socket: us_listen_socket | undefined;

  private constructor(host: string, app: TemplatedApp, socket: us_listen_socket) {
    this.host = host;
    this.app = app;
    this.#socket = socket;
    this.port = uws.us_socket_local_port(socket);
  }

  /** Takes the port, or any free one for 0; fails with StartRefused where another has it. */
  static bind(host: string, port: number): Promise<Listener> {
    const app = uws.App();
    return new Promise((resolve, reject) => {
      app.listen(host, port, exclusivePort, (socket) => {
        if (socket === false) reject(portTaken(host, port));
        else resolve(new Listener(host, app, socket));
      });
    });
  }

  /** Takes no new connection; those that are there stay. */
  close(): void {
    if (this.#socket !== undefined) uws.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
  }
}

function portTaken(host: string, port: number): StartRefused {
  const why =
    port === 0
      ? 'set HOST to an address of this machine'
      : 'stop the program that uses it, or set another PORT, or HOST to an address of this machine';
  return new StartRefused(`could not listen on ${host}:${port}; ${why}`);
}
