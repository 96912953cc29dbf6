import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

import type { ServiceProcess } from '../support/service-process.ts';

/** Has a process open its inspector, on any port. */
export const inspectedSettings = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const announcement = /^Debugger listening on (ws:\S+)$/;
const lookMilliseconds = 20;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface HeapUsage {
  readonly usedSize: number;
}

/** The inspector of a process that was started with the settings above. */
export class InspectedProcess {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  static async of({ logLines }: Pick<ServiceProcess, 'logLines'>): Promise<InspectedProcess> {
    for (;;) {
      const url = logLines.map((line) => announcement.exec(line)?.[1]).find(Boolean);
      if (url === undefined) {
        await sleep(lookMilliseconds);
        continue;
      }
      const socket = new WebSocket(url);
      await once(socket, 'open');
      return new InspectedProcess(socket);
    }
  }

  /** Bytes of the heap that something still holds: all garbage is collected before. */
  async heldBytes(): Promise<number> {
    await this.#ask('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.#ask('Runtime.getHeapUsage')) as HeapUsage;
    return usedSize;
  }

  /** Writes what is on the heap to a file, for the developer tools of a browser. */
  async writeSnapshot(path: string): Promise<void> {
    const expression = `process.getBuiltinModule('v8').writeHeapSnapshot(${JSON.stringify(path)})`;
    await this.#ask('Runtime.evaluate', { expression });
  }

  close(): void {
    this.#socket.close();
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#asked;
    const answering = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answering;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}
