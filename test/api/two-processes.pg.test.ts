import t, { type Test } from 'tap';
import { claimedAgent } from '../support/claimed-agent.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { ServiceProcess } from '../support/service-process.ts';

/** Runs long: two services side by side. */

/** A process of the service, and the door to it. */
class Peer {
  readonly process: ServiceProcess;

  constructor(process: ServiceProcess) {
    this.process = process;
  }

  get url(): string {
    return this.process.url;
  }

  async request(
    path: string,
    { method, body, credential }: { method?: string; body?: unknown; credential: string },
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Opens one more process each time, on one database and one object store. */
async function opener(t: Test): Promise<() => Promise<Peer>> {
  const folder = await makeTemporaryFolder(t);
  const shared = {
    ...(await sharedSettings(t)),
    NODE_ID: 'same',
    LOG_LEVEL: 'error',
    DEV_HOOKS: 'on',
    RATE_LIMITS: 'off',
  };
  let count = 0;
  return async () => {
    count += 1;
    return new Peer(await ServiceProcess.start(t, `${folder}/data-${count}`, shared));
  };
}

interface Book {
  readonly credential: string;
  readonly id: string;
}

async function makeBook(service: Peer): Promise<Book> {
  const { credential } = await claimedAgent(service.url);
  const { json } = await service.request('/v1/workbooks', { credential, body: { name: 'shared' } });
  return { credential, id: (json as { id: string }).id };
}

function path({ id }: Book, rest: string): string {
  return `/v1/workbooks/${id}${rest}`;
}

async function write(
  service: Peer,
  book: Book,
  input: string | number,
  branch = 'main',
): Promise<number> {
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } }];
  const { json, text } = await service.request(path(book, `/branches/${branch}/ops`), {
    credential: book.credential,
    body: { ops },
  });
  const { lastSeq } = json as { lastSeq?: number };
  if (lastSeq === undefined) throw new Error(text);
  return lastSeq;
}

/** Where others write faster the answer is 503, and the same ids are sent again. */
async function sendUntilDone(service: Peer, { credential, id }: Book, body: object): Promise<void> {
  for (;;) {
    const answer = await service.request(`/v1/workbooks/${id}/branches/main/ops`, {
      credential,
      body,
    });
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new Error(answer.text);
  }
}

async function read(service: Peer, book: Book, ref = 'main'): Promise<Answer> {
  const query = `/slice?ref=${ref}&range=A1`;
  return service.request(path(book, query), { credential: book.credential });
}

function cellOf({ json, text }: Answer): string {
  const { rows } = (json ?? {}) as { rows?: unknown };
  return rows === undefined ? text : JSON.stringify(rows);
}

const openShared = await opener(t);
const [first, second] = [await openShared(), await openShared()];

t.test('what one process acknowledges every other shows at once', async (t) => {
  const book = await makeBook(first);
  const old: string[] = [];
  for (let round = 0; round < 40; round++) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
    const seq = await write(writer, book, `value ${round}`);
    const [atHead, pinned] = await Promise.all([
      read(reader, book),
      read(reader, book, `main@${seq}`),
    ]);
    const shown = cellOf(atHead);
    if (shown !== `[["value ${round}"]]`) old.push(`${shown} in round ${round}`);
    t.equal(pinned.status, 200, `main@${seq} is known`);
  }
  t.same(old, [], 'no read is older than what was acknowledged before it');
});

t.test(
  'a branch that is deleted and made anew elsewhere shows nothing of the old one',
  async (t) => {
    const book = await makeBook(first);
    const { credential } = book;
    for (let round = 0; round < 3; round++) {
      const made = await first.request(path(book, '/branches'), {
        credential,
        body: { name: 'side' },
      });
      t.equal(made.status, 201, made.text);
      t.notMatch(cellOf(await read(second, book, 'side')), /of round/);
      await write(second, book, `of round ${round}`, 'side');
      t.match(cellOf(await read(first, book, 'side')), new RegExp(`of round ${round}`));
      const gone = await first.request(path(book, '/branches/side'), {
        credential,
        method: 'DELETE',
      });
      t.equal(gone.status, 200, gone.text);
      t.equal((await read(second, book, 'side')).status, 404);
    }
  },
);

t.test('what is refused is refused for what is there now', async (t) => {
  const book = await makeBook(first);
  const { credential } = book;
  await write(second, book, 'so that the branch is in memory');
  const added = await first.request(path(book, '/branches/main/ops'), {
    credential,
    body: { ops: [{ kind: 'sheet.add', payload: { name: 'New' } }] },
  });
  t.equal(added.status, 200, added.text);
  const same = await second.request(path(book, '/branches/main/ops'), {
    credential,
    body: { ops: [{ kind: 'sheet.add', payload: { name: 'New' } }] },
  });
  t.equal(same.status, 409, same.text);
  const used = await second.request(path(book, '/branches/main/ops'), {
    credential,
    body: {
      ops: [{ kind: 'cells.set', payload: { sheet: 'New', cells: [{ a1: 'A1', input: 1 }] } }],
    },
  });
  t.equal(used.status, 200, used.text);
});

t.test('three processes write one branch, and no operation is lost or done twice', async (t) => {
  const services = [first, second, await openShared()];
  const book = await makeBook(first);
  const { credential } = book;
  const each = 40;
  await Promise.all(
    services.map(async (service, nth) => {
      for (let count = 0; count < each; count++) {
        const op = {
          id: `${nth}-${count}`,
          kind: 'rows.insert',
          payload: { sheet: 'Sheet1', before: 1, count: 1 },
        };
        await sendUntilDone(service, book, { ops: [op], writer: `w${nth}` });
      }
    }),
  );
  const states = await Promise.all(
    services.map((service) => service.request(path(book, '/branches/main/state'), { credential })),
  );
  const found = states.map(({ json }) => json as { head: number; stateHash: string });
  t.same(new Set(found.map(({ head }) => head)), new Set([services.length * each + 1]));
  t.equal(new Set(found.map(({ stateHash }) => stateHash)).size, 1);
});

t.test('a process that was paused shows nothing old when it goes on', async (t) => {
  const open = await opener(t);
  const first = await open();
  const book = await makeBook(first);
  await write(first, book, 'before');
  t.match(cellOf(await read(first, book)), /before/, 'it has the branch in memory, and is alone');
  first.process.child.kill('SIGSTOP');
  // It does not count as alive any more, so the second does not wait for it.
  const second = await open();
  await write(second, book, 'meanwhile');
  first.process.child.kill('SIGCONT');
  t.match(cellOf(await read(first, book)), /meanwhile/);
  await write(first, book, 'after');
  t.match(cellOf(await read(second, book)), /after/);
});

t.test('a process that is killed is forgotten, and the other goes on', async (t) => {
  const third = await openShared();
  const book = await makeBook(first);
  await write(third, book, 'of the third');
  await third.process.kill();
  t.match(cellOf(await read(first, book)), /of the third/);
  await write(first, book, 'of the first');
  t.match(cellOf(await read(second, book)), /of the first/);
});

t.test('a read waits for the operation that it has to show', async (t) => {
  const service = second;
  const book = await makeBook(service);
  const { credential } = book;
  const seq = await write(service, book, 'first');
  const shown = await service.request(path(book, `/slice?ref=main&range=A1&minSeq=${seq}`), {
    credential,
  });
  t.match(shown, { status: 200, json: { rows: [['first']] } });
  t.equal(shown.headers.get('quire-seq'), String(seq));
  const waiting = service.request(path(book, `/branches/main/state?minSeq=${seq + 1}`), {
    credential,
  });
  await write(service, book, 'second');
  t.match(await waiting, { status: 200, json: { head: seq + 1 } });
  const never = await service.request(path(book, `/slice?ref=main&range=A1&minSeq=${seq + 9}`), {
    credential,
  });
  t.match(never, { status: 503, json: { code: 'not_yet', head: seq + 1 } });
  t.equal(never.headers.get('retry-after'), '1');
  const logged = service.process.logLines.filter((line) => line.includes('minSeq asks for'));
  t.same(logged, [], 'it is no fault of the service');
  const wrong = await service.request(path(book, '/slice?ref=main&range=A1&minSeq=x'), {
    credential,
  });
  t.match(wrong, { status: 400, json: { errors: [{ pointer: '?minSeq' }] } });
});

t.test('a comparison waits for the operation that it has to hold', async (t) => {
  const book = await makeBook(first);
  const { credential } = book;
  const seq = await write(first, book, 'first');
  const waiting = second.request(path(book, `/diff?from=main@0&minSeq=${seq + 1}`), { credential });
  await write(first, book, 'second');
  t.match(await waiting, { status: 200, json: { to: { branch: 'main', seq: seq + 1 } } });
  const never = await second.request(path(book, `/diff?from=main@0&to=main&minSeq=${seq + 9}`), {
    credential,
  });
  t.match(never, { status: 503, json: { code: 'not_yet', head: seq + 1 } });
});

t.test('a local read is that of a position the process has had', async (t) => {
  const book = await makeBook(first);
  const { credential } = book;
  const ask = (consistency: string) => {
    const query = `/slice?ref=main&range=A1&consistency=${consistency}`;
    return second.request(path(book, query), { credential });
  };
  const before = await write(first, book, 'before');
  t.equal((await ask('strong')).headers.get('quire-seq'), String(before));
  const after = await write(first, book, 'after');
  const local = await ask('local');
  t.equal(local.status, 200);
  const seen = Number(local.headers.get('quire-seq'));
  t.ok(seen === before || seen === after, `it is one of both: ${seen}`);
  t.same((local.json as { rows: unknown }).rows, [[seen === before ? 'before' : 'after']]);
  t.match(local.headers.get('cache-control'), /no-cache/u, 'it may be another one later');
  t.match(await ask('strong'), { status: 200, json: { rows: [['after']] } });
  t.match(await ask('weak'), { status: 400, json: { errors: [{ pointer: '?consistency' }] } });
});
