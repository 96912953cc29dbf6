import type { WebSocket } from 'ws';

import { once, type Figure } from '../report.ts';
import { RunningService } from '../service/running-service.ts';
import {
  join,
  measureResume,
  measureRooms,
  measureSlow,
  measureViewport,
  percentiles,
  urlOf,
} from './parts.ts';
import { PeerProcess } from './peer-process.ts';
import { atRate, BenchSocket, pause } from './sockets.ts';
import { YjsRoom } from './yjs-room.ts';

export interface CollaborationOptions {
  /** Sockets of the parts with many; 200 by default. */
  readonly size: number | undefined;
  readonly seconds: number;
  /** One part; all of them when left out. */
  readonly only: string | undefined;
}

const latencyRate = 200;
const fanOutRate = 50;
const settleMilliseconds = 1_500;
const viewportFormulas = 100_000;
const viewportRounds = 100;

/** Measures a service that shares the machine with its PostgreSQL and its clients. */
export async function runCollaborationBench(options: CollaborationOptions): Promise<Figure[]> {
  const { size = 200, seconds, only } = options;
  const service = await RunningService.start();
  const isWanted = (part: string): boolean => only === undefined || only === part;
  try {
    const figures: Figure[] = [];
    if (isWanted('latency')) figures.push(...(await measureLatency(service, seconds)));
    if (isWanted('fan-out')) figures.push(...(await measureFanOut(service, size, seconds)));
    if (isWanted('idle')) figures.push(await measureIdle(service, size * 5));
    if (isWanted('slow')) figures.push(...(await measureSlow(service, size, seconds)));
    if (isWanted('rooms')) figures.push(...(await measureRooms(service, size, seconds)));
    if (isWanted('resume')) figures.push(await measureResume(service));
    if (isWanted('viewport')) {
      figures.push(...(await measureViewport(service, viewportFormulas, viewportRounds)));
    }
    if (isWanted('reconnect')) figures.push(await measureReconnect(service, size));
    return figures;
  } finally {
    await service.stop();
  }
}

/** Measures one writer at a steady rate, regardless of answers, and one reader. */
async function measureLatency(service: RunningService, seconds: number): Promise<Figure[]> {
  const url = await urlOf(service);
  const writer = await join(url, service.credential, 'writer');
  const reader = await join(url, service.credential, 'reader');
  await atRate(latencyRate, 2, (index) => writer.submit(`warm-${index}`));
  await pause(settleMilliseconds);
  const sentAt = new Map<string, number>();
  await atRate(latencyRate, seconds, (index) => {
    const name = `s-${index}`;
    sentAt.set(name, performance.now());
    writer.submit(name);
  });
  await pause(settleMilliseconds);
  const toAck = [...sentAt].flatMap(([name, start]) => {
    const answer = writer.answers.get(name);
    return answer ? [answer.at - start] : [];
  });
  const toApplied = delaysOf(sentAt, writer, reader);
  writer.socket.terminate();
  reader.socket.terminate();
  const subject = `one writer, ${latencyRate} operations a second`;
  return [
    ...percentiles(subject, 'submit to ack', toAck),
    ...(await besideYjs(percentiles(subject, 'submit to op_applied', toApplied), seconds)),
  ];
}

/** Returns how long each submission took from its writer to a reader, in milliseconds. */
function delaysOf(
  sentAt: ReadonlyMap<string, number>,
  writer: BenchSocket,
  reader: BenchSocket,
): number[] {
  return [...sentAt].flatMap(([name, start]) => {
    const applied = reader.appliedAt.get(writer.answers.get(name)?.seq ?? 0);
    return applied === undefined ? [] : [applied - start];
  });
}

/** Measures the same edits in a room of Yjs, which does not acknowledge them. */
async function besideYjs(figures: readonly Figure[], seconds: number): Promise<Figure[]> {
  const room = await YjsRoom.open(1);
  if (!room) return figures.map((figure) => ({ ...figure, note: noYjs }));
  const delays = await room.delays(latencyRate, seconds);
  room.close();
  const own = percentiles('', '', delays);
  return figures.map((figure, index) => {
    const peer = own[index]?.quire ?? once(Number.NaN);
    const ratio = peer.median / figure.quire.median;
    return { ...figure, peer: { name: YjsRoom.label, ...peer }, ratio };
  });
}

/** Measures deliveries per second of processor time, beside a server that only forwards texts. */
async function measureFanOut(
  service: RunningService,
  readerCount: number,
  seconds: number,
): Promise<Figure[]> {
  const url = await urlOf(service);
  const readers: BenchSocket[] = [];
  for (let at = 0; at < readerCount; at++) {
    readers.push(await join(url, service.credential, `r${at}`));
  }
  const writer = await join(url, service.credential, 'writer');
  await pause(settleMilliseconds);
  const before = await service.cpuSeconds();
  const sentAt = new Map<string, number>();
  await atRate(fanOutRate, seconds, (index) => {
    sentAt.set(`f-${index}`, performance.now());
    writer.submit(`f-${index}`);
  });
  await pause(settleMilliseconds);
  const used = (await service.cpuSeconds()) - before;
  const delivered = readers.reduce((sum, { deliveredCount }) => sum + deliveredCount, 0);
  for (const { socket } of [...readers, writer]) socket.terminate();
  const due = readerCount * fanOutRate * seconds;
  const rate = delivered / used;
  const subject = `one writer, ${readerCount} readers, ${fanOutRate} operations a second`;
  const delays = readers.flatMap((reader) => delaysOf(sentAt, writer, reader));
  const own = percentiles(subject, 'submit to op_applied', delays);
  const figure = {
    subject,
    measure: 'deliveries per processor second',
    unit: '/s',
    quire: once(rate),
    due: `all ${due} delivered`,
    isMet: delivered === due,
  };
  const plain = await measurePlain(readerCount, seconds);
  const room = await YjsRoom.open(readerCount);
  const yjs = await room?.fanOut(fanOutRate, seconds);
  room?.close();
  const beside = { ...figure, peer: { name: 'ws', ...once(plain) }, ratio: rate / plain };
  if (yjs === undefined) return [beside, ...own, { ...figure, note: noYjs }];
  const peer = { name: YjsRoom.label, ...once(yjs) };
  return [beside, { ...figure, peer, ratio: rate / yjs }, ...own];
}

const noYjs = 'y-websocket is not installed';

/** Measures the same texts through npm's ws, without durability or order. */
async function measurePlain(readerCount: number, seconds: number): Promise<number> {
  const peer = await PeerProcess.start('plain-server.js');
  let delivered = 0;
  const readers: WebSocket[] = [];
  for (let at = 0; at < readerCount; at++) {
    const socket = await peer.open();
    socket.on('message', () => delivered++);
    readers.push(socket);
  }
  const writer = await peer.open();
  const cells = [{ a1: 'A1', input: 'f-1' }];
  const ops = [{ seq: 1, id: 'f-1', kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
  const text = JSON.stringify({ kind: 'op_applied', firstSeq: 1, lastSeq: 1, ops, head: 1 });
  const before = await peer.processorSeconds();
  await atRate(fanOutRate, seconds, () => writer.send(text));
  await pause(settleMilliseconds);
  const used = (await peer.processorSeconds()) - before;
  for (const socket of [...readers, writer]) socket.terminate();
  peer.stop();
  return delivered / used;
}

async function measureIdle(service: RunningService, count: number): Promise<Figure> {
  const url = await urlOf(service);
  const first = await join(url, service.credential, 'first');
  await pause(settleMilliseconds);
  const { now: before } = await service.residentMebibytes();
  const sockets: BenchSocket[] = [];
  for (let at = 0; at < count; at++) sockets.push(await join(url, service.credential, `i${at}`));
  await pause(settleMilliseconds);
  const { now: after } = await service.residentMebibytes();
  for (const { socket } of [first, ...sockets]) socket.terminate();
  const each = ((after - before) * 1024) / count;
  return {
    subject: `${count} idle sockets`,
    measure: 'memory each',
    unit: 'KiB',
    quire: once(each),
  };
}

/** Measures how long all sockets take to reconnect after all connections are cut. */
async function measureReconnect(service: RunningService, count: number): Promise<Figure> {
  const url = await urlOf(service);
  const sockets: BenchSocket[] = [];
  for (let at = 0; at < count; at++) sockets.push(await join(url, service.credential, `c${at}`));
  for (const { socket } of sockets) socket.terminate();
  const start = performance.now();
  const back = await Promise.all(
    sockets.map(async ({ head }, at) => {
      const socket = await BenchSocket.open(url, service.credential);
      await socket.hello(`c${at}`, head);
      return socket;
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const { socket } of back) socket.terminate();
  const subject = `${count} sockets at once`;
  return { subject, measure: 'reconnect and resume', unit: 's', quire: once(seconds) };
}
