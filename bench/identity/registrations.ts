import { BenchConnection, rawRequest } from '../service/connection.ts';
import { RunningService } from '../service/running-service.ts';
import { once, summarise, type Figure } from '../report.ts';

/** Measures registrations of agents, each durable when it is answered; 500 a second are due. */

const clientCount = 32;
const warmUpSeconds = 2;

export async function measureRegistrations(seconds: number): Promise<Figure[]> {
  const service = await RunningService.start();
  try {
    await load(service.url, warmUpSeconds);
    const cpuBefore = await service.cpuSeconds();
    const milliseconds = await load(service.url, seconds);
    const cpuSeconds = (await service.cpuSeconds()) - cpuBefore;
    const count = milliseconds.length;
    const subject = `${clientCount} clients register agents`;
    return [
      { subject, measure: 'a second', unit: '1/s', quire: once(count / seconds), due: '500 /s' },
      { subject, measure: 'until it is answered', unit: 'ms', quire: summarise(milliseconds) },
      {
        subject,
        measure: 'processor of the service',
        unit: 'µs',
        quire: once((cpuSeconds * 1e6) / count),
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Returns the milliseconds of each answer. */
async function load(url: string, seconds: number): Promise<number[]> {
  const { host } = new URL(url);
  const body = '{"type":"anonymous","client":{"name":"bench","version":"1"}}';
  const request = rawRequest('/agent/auth', { host, credential: '', body });
  const until = performance.now() + seconds * 1000;
  const clients = Array.from({ length: clientCount }, async () => {
    const connection = await BenchConnection.open(url);
    const milliseconds: number[] = [];
    while (performance.now() < until) {
      const started = performance.now();
      const answer = await connection.send(request);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.toString()}`);
      milliseconds.push(performance.now() - started);
    }
    connection.close();
    return milliseconds;
  });
  return (await Promise.all(clients)).flat();
}
