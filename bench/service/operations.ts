import { once, summarise, type Figure } from '../report.ts';
import { BenchConnection, rawRequest } from './connection.ts';
import type { RunningService } from './running-service.ts';

/**
 * Measures durable, acknowledged operations per second on one branch: 64 clients with single
 * operations (3,000 are due on two cores shared with PostgreSQL and this client), and batches of
 * 1,000 (60,000 are due).
 */

const warmUpSeconds = 3;

interface Load {
  readonly name: string;
  readonly clientCount: number;
  readonly batchSize: number;
  readonly due: number;
}

const loads: readonly Load[] = [
  { name: 'single', clientCount: 64, batchSize: 1, due: 3_000 },
  { name: 'batches', clientCount: 8, batchSize: 1_000, due: 60_000 },
];

interface Tally {
  operationCount: number;
  readonly milliseconds: number[];
}

class Client {
  readonly #connection: BenchConnection;
  readonly #name: string;
  readonly #service: RunningService;
  readonly #path: string;
  #count = 0;

  constructor(
    connection: BenchConnection,
    at: { service: RunningService; name: string; id: string },
  ) {
    this.#connection = connection;
    this.#name = at.name;
    this.#service = at.service;
    this.#path = `/v1/workbooks/${at.id}/branches/main/ops`;
  }

  async run(batchSize: number, until: number): Promise<Tally> {
    const tally: Tally = { operationCount: 0, milliseconds: [] };
    while (performance.now() < until) {
      const request = this.#request(batchSize);
      const started = performance.now();
      const { status, body } = await this.#connection.send(request);
      tally.milliseconds.push(performance.now() - started);
      if (status !== 200) throw new Error(`${status}: ${body.toString()}`);
      tally.operationCount += batchSize;
    }
    return tally;
  }

  #request(batchSize: number): Buffer {
    const ops: string[] = [];
    for (let index = 0; index < batchSize; index++) {
      const count = ++this.#count;
      const a1 = `${'ABCDEFGHIJ'[count % 10] ?? 'A'}${(count % 10_000) + 1}`;
      ops.push(
        `{"id":"${this.#name}-${count}","kind":"cells.set","payload":{"sheet":"Sheet1","cells":[{"a1":"${a1}","input":${count}}]}}`,
      );
    }
    const { url, credential } = this.#service;
    const body = `{"writer":"${this.#name}","ops":[${ops.join(',')}]}`;
    return rawRequest(this.#path, { host: new URL(url).host, credential, body });
  }
}

export async function measureOperations(
  service: RunningService,
  { seconds, only }: { seconds: number; only: string | undefined },
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const load of loads) {
    if (only === undefined || only === load.name) {
      figures.push(...(await measure(service, load, seconds)));
    }
  }
  return figures;
}

async function measure(service: RunningService, load: Load, seconds: number): Promise<Figure[]> {
  const { name, clientCount, batchSize, due } = load;
  const id = await service.createWorkbook();
  const clients: Client[] = [];
  const connections: BenchConnection[] = [];
  for (let index = 0; index < clientCount; index++) {
    const connection = await BenchConnection.open(service.url);
    connections.push(connection);
    clients.push(new Client(connection, { service, name: `${name}${index}`, id }));
  }
  const runAll = async (duration: number) => {
    const until = performance.now() + duration * 1_000;
    return Promise.all(clients.map((client) => client.run(batchSize, until)));
  };
  await runAll(warmUpSeconds);
  const cpuBefore = await service.cpuSeconds();
  const started = performance.now();
  const tallies = await runAll(seconds);
  const elapsedSeconds = (performance.now() - started) / 1_000;
  const cpuSeconds = (await service.cpuSeconds()) - cpuBefore;
  for (const connection of connections) connection.close();
  const operationCount = tallies.reduce((sum, tally) => sum + tally.operationCount, 0);
  const times = tallies.flatMap(({ milliseconds }) => milliseconds);
  const subject = `${name}: ${clientCount} x ${batchSize}`;
  const rate = operationCount / elapsedSeconds;
  const cpuMicroseconds = (cpuSeconds * 1e6) / operationCount;
  return [
    { subject, measure: 'durable operations', unit: '/s', quire: once(rate), due: `${due} /s` },
    { subject, measure: 'answer', unit: 'ms', quire: summarise(times) },
    { subject, measure: 'service per operation', unit: 'µs', quire: once(cpuMicroseconds) },
  ];
}
