import { once, summarise, type Figure } from '../report.ts';
import type { RunningService } from '../service/running-service.ts';
import { atRate, BenchSocket, pause } from './sockets.ts';

const settleMilliseconds = 1_500;
const rate = 50;

export async function urlOf(service: RunningService): Promise<string> {
  const id = await service.createWorkbook();
  return `${service.url.replace('http', 'ws')}/v1/workbooks/${id}/ws?branch=main`;
}

export async function join(url: string, credential: string, writer: string): Promise<BenchSocket> {
  const socket = await BenchSocket.open(url, credential);
  await socket.hello(writer);
  return socket;
}

export function percentiles(
  subject: string,
  measure: string,
  samples: readonly number[],
): Figure[] {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [0.5, 0.99].map((share) => ({
    subject,
    measure: `${measure} p${share * 100}`,
    unit: 'ms',
    quire: { ...summarise(sorted), median: at(share) },
  }));
}

/** Measures how long operations take to readers while one reader in a hundred reads nothing. */
export async function measureSlow(
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
  const quiet = await delays(writer, readers, seconds, 'quiet');
  const slow = readers.slice(0, Math.max(1, Math.round(readerCount / 100)));
  for (const { socket } of slow) socket.pause();
  const others = readers.slice(slow.length);
  const beside = await delays(writer, others, seconds, 'beside');
  for (const { socket } of [...readers, writer]) socket.terminate();
  const subject = `${readerCount} readers, ${rate} operations a second`;
  return [
    ...percentiles(subject, 'fan-out', quiet),
    ...percentiles(`${subject}, ${slow.length} of them slow`, 'fan-out to the others', beside),
  ];
}

async function delays(
  writer: BenchSocket,
  readers: readonly BenchSocket[],
  seconds: number,
  name: string,
): Promise<number[]> {
  const sentAt = new Map<string, number>();
  await atRate(rate, seconds, (index) => {
    sentAt.set(`${name}-${index}`, performance.now());
    writer.submit(`${name}-${index}`);
  });
  await pause(settleMilliseconds);
  return [...sentAt].flatMap(([submission, start]) => {
    const seq = writer.answers.get(submission)?.seq;
    const arrivals = readers.flatMap(({ appliedAt }) => appliedAt.get(seq ?? 0) ?? []);
    return arrivals.map((at) => at - start);
  });
}

/** Measures how long a client takes to get a thousand missed operations. */
export async function measureResume(service: RunningService): Promise<Figure> {
  const missed = 1_000;
  const id = await service.createWorkbook();
  const url = `${service.url.replace('http', 'ws')}/v1/workbooks/${id}/ws?branch=main`;
  const ops = Array.from({ length: missed }, (_, at) => ({
    kind: 'cells.set',
    payload: { sheet: 'Sheet1', cells: [{ a1: `A${at + 1}`, input: at }] },
  }));
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const { head } = (await service.ask(path, { ops, writer: 'w' })) as { head: number };
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const socket = await BenchSocket.open(url, service.credential);
    const start = performance.now();
    await socket.hello('reader', head - missed);
    while (!socket.appliedAt.has(head) && performance.now() - start < 10_000) await pause(1);
    times.push((socket.appliedAt.get(head) ?? Number.NaN) - start);
    socket.socket.terminate();
  }
  const subject = `${missed} operations missed`;
  return { subject, measure: 'resume', unit: 'ms', quire: summarise(times) };
}

/** Measures acknowledgements of a small room beside one in which each operation goes to many. */
export async function measureRooms(
  service: RunningService,
  readerCount: number,
  seconds: number,
): Promise<Figure[]> {
  const [large, small] = [await urlOf(service), await urlOf(service)];
  const readers: BenchSocket[] = [];
  for (let at = 0; at < readerCount; at++) {
    readers.push(await join(large, service.credential, `r${at}`));
  }
  const loud = await join(large, service.credential, 'writer');
  const own = await join(small, service.credential, 'writer');
  await pause(settleMilliseconds);
  const sentAt = new Map<string, number>();
  await atRate(rate, seconds, (index) => {
    loud.submit(`loud-${index}`);
    sentAt.set(`own-${index}`, performance.now());
    own.submit(`own-${index}`);
  });
  await pause(settleMilliseconds);
  const toAck = [...sentAt].flatMap(([name, start]) => {
    const answer = own.answers.get(name);
    return answer ? [answer.at - start] : [];
  });
  for (const { socket } of [...readers, loud, own]) socket.terminate();
  return percentiles(`a room beside one of ${readerCount}`, 'submit to ack', toAck);
}

/**
 * Measures the time from one input, on which all formulas depend, until a viewport has the values.
 */
export async function measureViewport(
  service: RunningService,
  formulaCount: number,
  rounds: number,
): Promise<Figure[]> {
  const columns = 10;
  const rows = Math.floor(formulaCount / columns);
  const formulas = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_c, column) => `=$A$1+${row * columns + column}`),
  );
  const made = await service.ask('/v1/workbooks', {
    sheets: [{ name: 'Sheet1', rows: [[1], ...formulas] }],
  });
  const { id } = made as { id: string };
  const url = `${service.url.replace('http', 'ws')}/v1/workbooks/${id}/ws?branch=main`;
  const writer = await join(url, service.credential, 'writer');
  const viewer = await BenchSocket.open(url, service.credential);
  const seen = new Map<unknown, number>();
  viewer.socket.on('message', (data: Buffer) => {
    const { values } = JSON.parse(data.toString()) as { values?: { data: unknown[][] } };
    if (values) seen.set(values.data[0]?.[0], performance.now());
  });
  await viewer.hello('viewer', null, { sheet: 'Sheet1', range: `A2:J21` });
  await pause(settleMilliseconds);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const input = 1_000_000 + round;
    const start = performance.now();
    writer.submit(`v-${round}`, { a1: 'A1', input });
    while (!seen.has(input) && performance.now() - start < 10_000) await pause(1);
    times.push((seen.get(input) ?? Number.NaN) - start);
    await pause(150);
  }
  for (const { socket } of [writer, viewer]) socket.terminate();
  const subject = `an edit that dirties ${rows * columns} formulas`;
  return [
    ...percentiles(subject, 'to the values of a viewport', times),
    {
      subject,
      measure: 'edits whose values came',
      unit: '',
      quire: once(times.filter((time) => !Number.isNaN(time)).length),
    },
  ];
}
