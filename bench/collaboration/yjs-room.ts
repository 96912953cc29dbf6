import type { WebSocket } from 'ws';

import { hasPeer, requirePeer } from '../peers.ts';
import { PeerProcess } from './peer-process.ts';
import { atRate, pause } from './sockets.ts';

interface YMap {
  set(name: string, value: unknown): void;
}

interface YDoc {
  getMap(name: string): YMap;
  on(event: 'update', take: (update: Uint8Array) => void): void;
}

interface YModule {
  readonly Doc: new () => YDoc;
}

const settleMilliseconds = 1_500;
/** First two bytes of an update message of y-protocols. */
const updateHead = [0, 2] as const;
const cellCount = 1_000;

/**
 * A room of Yjs: one client writes cells to a map, others get the updates. Nothing is durable,
 * ordered, checked or calculated.
 */
export class YjsRoom {
  static readonly label = 'Yjs';
  readonly #peer: PeerProcess;
  readonly #doc: YDoc;
  readonly #writer: WebSocket;
  readonly #readers: WebSocket[] = [];
  readonly #arrivals: number[] = [];
  deliveredCount = 0;

  private constructor(peer: PeerProcess, writer: WebSocket) {
    this.#peer = peer;
    this.#writer = writer;
    const { Doc } = requirePeer('yjs') as YModule;
    this.#doc = new Doc();
    this.#doc.on('update', (update) => writer.send(messageOf(update)));
  }

  /** Undefined when it is not installed. */
  static async open(readerCount: number): Promise<YjsRoom | undefined> {
    if (!hasPeer('yjs') || !hasPeer('y-websocket/bin/utils')) return undefined;
    const peer = await PeerProcess.start('yjs-server.js');
    const room = new YjsRoom(peer, await peer.open('/room'));
    for (let at = 0; at < readerCount; at++) await room.#join(peer, at === 0);
    await pause(settleMilliseconds);
    return room;
  }

  async #join(peer: PeerProcess, isFirst: boolean): Promise<void> {
    const socket = await peer.open('/room');
    socket.on('message', (data: Buffer) => {
      if (data[0] !== updateHead[0] || data[1] !== updateHead[1]) return;
      this.deliveredCount++;
      if (isFirst) this.#arrivals.push(performance.now());
    });
    this.#readers.push(socket);
  }

  /** Returns the milliseconds from each edit to the first reader; the room keeps their order. */
  async delays(rate: number, seconds: number): Promise<number[]> {
    const sentAt: number[] = [];
    await atRate(rate, seconds, (index) => {
      sentAt.push(performance.now());
      this.#edit(index);
    });
    await pause(settleMilliseconds);
    if (this.#arrivals.length !== sentAt.length) {
      throw new Error(`${sentAt.length} edits, and ${this.#arrivals.length} updates came`);
    }
    return sentAt.map((start, index) => (this.#arrivals[index] ?? Number.NaN) - start);
  }

  /** Returns the updates delivered per second of the server's processor time. */
  async fanOut(rate: number, seconds: number): Promise<number> {
    const before = await this.#peer.processorSeconds();
    await atRate(rate, seconds, (index) => this.#edit(index));
    await pause(settleMilliseconds);
    return this.deliveredCount / ((await this.#peer.processorSeconds()) - before);
  }

  close(): void {
    for (const socket of [...this.#readers, this.#writer]) socket.terminate();
    this.#peer.stop();
  }

  #edit(index: number): void {
    this.#doc.getMap('cells').set(`A${1 + (index % cellCount)}`, `f-${index}`);
  }
}

function messageOf(update: Uint8Array): Uint8Array {
  const length: number[] = [];
  let rest = update.length;
  for (; rest > 127; rest >>>= 7) length.push(128 | (rest & 127));
  return Uint8Array.from([...updateHead, ...length, rest, ...update]);
}
