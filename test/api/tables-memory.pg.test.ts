import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';

import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Runs long: bodies of 40 MB go through a service of its own, whose memory is counted. */

const mebibyte = 1 << 20;
const bodyBytes = 40e6;
const keyCount = 20_000;
const rowsAtOnce = 1_000;
/** V8 let go of twice as much and more before it was told to collect sooner. */
const heldMebibytesMost = 128;

type Row = readonly [sku: string, region: string, price: number, note: string];

function rowAt(index: number): Row {
  const at = index % keyCount;
  // Each time around all rows change.
  const price = Math.floor(index / keyCount) + at / 8;
  return [`k${at}`, `region ${at % 97}`, price, `note ${Math.imul(at, 0x9e3779b1)} of the row`];
}

const formats = {
  'text/csv': {
    head: 'sku,region,price,note\n',
    line: (row: Row) => `${row.join(',')}\n`,
  },
  'application/x-ndjson': {
    head: '',
    line: ([sku, region, price, note]: Row) => `${JSON.stringify({ sku, region, price, note })}\n`,
  },
} as const;

/** A table of a service in a process of its own. */
class CountedTable {
  readonly #service: ServiceProcess;
  readonly #credential: string;
  readonly #workbook: string;

  private constructor(service: ServiceProcess, credential: string, workbook: string) {
    this.#service = service;
    this.#credential = credential;
    this.#workbook = workbook;
  }

  static async start(t: Test): Promise<CountedTable> {
    const folder = await makeTemporaryFolder(t);
    const service = await ServiceProcess.start(t, folder, { RATE_LIMITS: 'off' });
    const registered = (await asked(service.url, '/agent/auth', { type: 'anonymous' })) as {
      data: { credential: string };
    };
    const { credential } = registered.data;
    const { id } = (await asked(service.url, '/v1/workbooks', {}, credential)) as { id: string };
    const schema = { sku: 'text', region: 'text', price: 'number', note: 'text' };
    const table = { name: 'Sales', keyColumn: 'sku', schema };
    const path = `/v1/workbooks/${id}/branches/main/tables`;
    await asked(service.url, path, table, credential);
    return new CountedTable(service, credential, id);
  }

  /** Sends rows for so many bytes, waits until they are written, and returns the count of them. */
  async import(type: keyof typeof formats, byteCount: number): Promise<number> {
    const path = `/v1/workbooks/${this.#workbook}/branches/main/tables/Sales/rows`;
    const sending = request(new URL(path, this.#service.url), {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${this.#credential}`,
        'content-type': type,
        prefer: 'wait=0',
      },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const { head, line } = formats[type];
    sending.write(head);
    let index = 0;
    for (let sent = 0; sent < byteCount;) {
      let chunk = '';
      for (let count = 0; count < rowsAtOnce; count++) chunk += line(rowAt(index++));
      sent += chunk.length;
      if (!sending.write(chunk)) await once(sending, 'drain');
    }
    sending.end();
    const [answer] = await answered;
    const write = JSON.parse(await text(answer)) as { poll: string };
    if (answer.statusCode !== 202) throw new Error(JSON.stringify(write));
    await this.#written(write.poll);
    return index;
  }

  async #written(poll: string): Promise<void> {
    for (;;) {
      const write = (await asked(this.#service.url, poll, undefined, this.#credential)) as {
        status: string;
      };
      if (write.status === 'done') return;
      if (write.status !== 'queued' && write.status !== 'running') throw new Error(write.status);
      await sleep(200);
    }
  }

  async residentMebibytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#service.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  /** Returns the most of it while something goes on. */
  async mostMebibytes(work: Promise<unknown>): Promise<number> {
    let most = 0;
    const state = { isOver: false };
    const watching = (async () => {
      while (!state.isOver) {
        most = Math.max(most, await this.residentMebibytes());
        await sleep(50);
      }
    })();
    try {
      await work;
    } finally {
      state.isOver = true;
      await watching;
    }
    return most;
  }
}

async function asked(
  url: string,
  path: string,
  body?: object,
  credential?: string,
): Promise<unknown> {
  const answer = await fetch(new URL(path, url), {
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const skip = process.platform === 'linux' ? false : 'only Linux says what a process holds';

for (const type of ['text/csv', 'application/x-ndjson'] as const) {
  t.test(`a long ${type} holds little more than the rows that it writes`, { skip }, async (t) => {
    const table = await CountedTable.start(t);
    // Whatever the first body loads and makes is there afterwards.
    for (let times = 0; times < 2; times++) await table.import(type, 2 * mebibyte);
    const settled = await table.residentMebibytes();
    const importing = table.import(type, bodyBytes);
    const most = await table.mostMebibytes(importing);
    t.ok((await importing) > 10 * keyCount, 'each row was written many times');
    const held = Math.round(most - settled);
    t.ok(held < heldMebibytesMost, `${held} MiB above ${Math.round(settled)} MiB`);
  });
}
