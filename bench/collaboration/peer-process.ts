import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

import { endsWithUs } from '../child-ends.ts';

const clockTicksPerSecond = 100;

/** Server of a peer in a process of its own, so that its processor time can be read. */
export class PeerProcess {
  readonly #child: ReturnType<typeof spawn>;
  readonly #url: string;

  private constructor(child: ReturnType<typeof spawn>, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** Starts a program, which is a file beside this one. */
  static async start(program: string): Promise<PeerProcess> {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    endsWithUs(child);
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^Quire is ready: (\S+)$/.exec(line)?.[1];
      if (url !== undefined) return new PeerProcess(child, url.replace('http', 'ws'));
    }
    throw new Error('the server ended before it was ready');
  }

  async open(path = ''): Promise<WebSocket> {
    const socket = new WebSocket(this.#url + path, { perMessageDeflate: false });
    socket.binaryType = 'nodebuffer';
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return socket;
  }

  async processorSeconds(): Promise<number> {
    const text = await readFile(`/proc/${this.#child.pid ?? 0}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }
}
