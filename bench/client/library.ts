import { randomUUID } from 'node:crypto';

import { Quire } from '../../client/library/quire.ts';
import { once, summarise, type Figure } from '../report.ts';
import type { RunningService } from '../service/running-service.ts';

const warmUpPairs = 300;
const pairs = 3_000;
const dueMicroseconds = 60;

interface Load {
  readonly name: string;
  readonly bare: () => Promise<unknown>;
  readonly library: () => Promise<unknown>;
}

/**
 * Times a call of the library and the same request by a bare fetch with parsing, in turns, so that
 * other load of the machine affects both. The overhead is the difference of the medians.
 */
export async function measureLibrary(service: RunningService): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const load of await loadsOf(service)) {
    const { bare, library } = await timesOf(load);
    const subject = `library ${load.name}`;
    const overhead = (summarise(library).median - summarise(bare).median) * 1_000;
    figures.push(
      { subject, measure: 'bare fetch', unit: 'ms', quire: summarise(bare) },
      { subject, measure: 'call', unit: 'ms', quire: summarise(library) },
      {
        subject,
        measure: 'overhead',
        unit: 'µs',
        quire: once(overhead),
        due: `${dueMicroseconds} µs`,
        isMet: overhead < dueMicroseconds,
      },
    );
  }
  return figures;
}

async function loadsOf({ url, credential }: RunningService): Promise<Load[]> {
  const quire = new Quire({ url, key: credential });
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [['Tea', 2, '=B1*2']] }] });
  const headers = { accept: 'application/json', authorization: `Bearer ${credential}` };
  const path = { id: book.id };
  const slice = `${url}/v1/workbooks/${book.id}/slice?range=Plan%21A1%3AC1`;
  const ticket = `${url}/v1/workbooks/${book.id}/ws-ticket`;
  // An idempotency key makes the service keep the answer, whoever sends it.
  const sending = () => {
    return { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  };
  return [
    {
      name: 'GET slice',
      bare: async () => (await fetch(slice, { headers })).json(),
      library: () => {
        const query = { range: ['Plan!A1:C1'] };
        return quire.call('GET', '/v1/workbooks/{id}/slice', { path, query });
      },
    },
    {
      name: 'POST ws-ticket',
      bare: async () => {
        const init = { method: 'POST', headers: sending(), body: '{"branch":"main"}' };
        return (await fetch(ticket, init)).json();
      },
      library: () => {
        const body = { branch: 'main' };
        return quire.call('POST', '/v1/workbooks/{id}/ws-ticket', { path, body });
      },
    },
  ];
}

/** Milliseconds of each call. */
async function timesOf({ bare, library }: Load): Promise<{ bare: number[]; library: number[] }> {
  const times = { bare: [] as number[], library: [] as number[] };
  for (let pair = -warmUpPairs; pair < pairs; pair++) {
    // Whatever a call leaves behind is met by the other as often.
    const isBareFirst = pair % 2 === 0;
    const first = await timeOf(isBareFirst ? bare : library);
    const second = await timeOf(isBareFirst ? library : bare);
    if (pair < 0) continue;
    times.bare.push(isBareFirst ? first : second);
    times.library.push(isBareFirst ? second : first);
  }
  return times;
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}
