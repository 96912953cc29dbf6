import { once, summarise, type Figure } from '../report.ts';
import { BenchConnection, rawRequest } from './connection.ts';
import type { RunningService } from './running-service.ts';

/**
 * Measures calls of tools from 16 connections, of which 1,500 a second are due, to a workbook for
 * each connection, and to one branch, where a commit makes several writes durable.
 */

const warmUpSeconds = 2;
const connectionCount = 16;
const due = '1500 /s';

const rows = Array.from({ length: 50 }, (_, row) => [row, row * 2, `=A${row + 1}+B${row + 1}`]);

interface Load {
  readonly name: string;
  /** One workbook for all. */
  readonly isShared?: boolean;
  readonly arguments: (count: number) => object;
}

const loads: readonly Load[] = [
  { name: 'range_read, 30 cells', arguments: () => ({ ranges: ['A1:C10'] }) },
  {
    name: 'range_write, a cell, with what it led to',
    arguments: (count) => ({ writes: [{ range: 'A1', values: [[count]] }] }),
  },
  {
    name: 'range_write, a cell, alone',
    arguments: (count) => ({ writes: [{ range: 'A2', values: [[count]] }], return_changes: 0 }),
  },
  {
    name: 'range_write, a cell, alone, all to one branch',
    isShared: true,
    arguments: (count) => ({ writes: [{ range: 'A2', values: [[count]] }], return_changes: 0 }),
  },
];

export async function measureMcp(service: RunningService, seconds: number): Promise<Figure[]> {
  const clients: Client[] = [];
  const shared = (await service.ask('/v1/workbooks', {})) as { id: string };
  for (let index = 0; index < connectionCount; index++) {
    const sheets = [{ name: 'Sheet1', rows }];
    const { id } = (await service.ask('/v1/workbooks', { sheets })) as { id: string };
    clients.push(
      new Client(await BenchConnection.open(service.url), { service, id, shared: shared.id }),
    );
  }
  const figures: Figure[] = [];
  for (const load of loads) {
    const runAll = (duration: number) => {
      const until = performance.now() + duration * 1_000;
      return Promise.all(clients.map((client) => client.run(load, until)));
    };
    await runAll(warmUpSeconds);
    const cpuBefore = await service.cpuSeconds();
    const started = performance.now();
    const times = (await runAll(seconds)).flat();
    const elapsedSeconds = (performance.now() - started) / 1_000;
    const cpuMicroseconds = (((await service.cpuSeconds()) - cpuBefore) * 1e6) / times.length;
    const subject = `mcp ${load.name}`;
    const rate = times.length / elapsedSeconds;
    figures.push(
      { subject, measure: 'calls', unit: '/s', quire: once(rate), due },
      { subject, measure: 'answer', unit: 'ms', quire: summarise(times) },
      { subject, measure: 'service per call', unit: 'µs', quire: once(cpuMicroseconds) },
    );
  }
  for (const client of clients) client.close();
  return figures;
}

class Client {
  readonly #connection: BenchConnection;
  readonly #service: RunningService;
  readonly #workbook: string;
  readonly #shared: string;
  #count = 0;

  constructor(
    connection: BenchConnection,
    { service, id, shared }: { service: RunningService; id: string; shared: string },
  ) {
    this.#connection = connection;
    this.#service = service;
    this.#workbook = id;
    this.#shared = shared;
  }

  /** Milliseconds of each call. */
  async run(load: Load, until: number): Promise<number[]> {
    const times: number[] = [];
    while (performance.now() < until) {
      const request = this.#request(load);
      const started = performance.now();
      const { status, body } = await this.#connection.send(request);
      times.push(performance.now() - started);
      if (status !== 200 || body.includes('"isError":true')) throw new Error(body.toString());
    }
    return times;
  }

  close(): void {
    this.#connection.close();
  }

  #request({ name, arguments: given, isShared = false }: Load): Buffer {
    const id = ++this.#count;
    const [tool] = name.split(',');
    const workbook = isShared ? this.#shared : this.#workbook;
    const params = { name: tool, arguments: { workbook, ...given(id) } };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const { url, credential } = this.#service;
    return rawRequest('/mcp', { host: new URL(url).host, credential, body });
  }
}
