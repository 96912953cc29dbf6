import t from 'tap';

import { Book } from '../support/book.ts';
import { fill } from '../support/live-checks.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { TestService } from '../support/test-service.ts';

// Exactly once for each branch, identity, writer and id, rejections too: whoever is asked again,
// and whatever has become possible since.

interface Result {
  readonly id: string;
  readonly status: string;
  readonly seq?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

function resultsOf(ack: LiveMessage): Result[] {
  return ack['results'] as Result[];
}

/** Writes to a sheet that is not there at first. */
function early(id: string) {
  return {
    id,
    kind: 'cells.set',
    payload: { sheet: 'Later', cells: [{ a1: 'A1', input: id }] },
  };
}

const addSheet = { kind: 'sheet.add', payload: { name: 'Later' } };

t.test('a rejection is heard again from every process, and after a restart', async (t) => {
  const settings = await sharedSettings(t);
  const here = await TestService.start(t, settings);
  const there = await TestService.start(t, settings);
  const book = await Book.create(here);
  const near = await LiveClient.join(book);
  const far = await LiveClient.join(book.at(there));
  const alone = resultsOf(await near.submit([early('alone')]));
  t.match(alone, [{ id: 'alone', status: 'rejected', error: { code: 'sheet_not_found' } }]);
  const among = resultsOf(await far.submit([setCell('A1', 1), early('among')]));
  t.match(among, [{ status: 'applied' }, { status: 'rejected' }]);
  const whole = await near.submit([setCell('A2', 1, 'kept'), early('whole')], { mode: 'atomic' });
  t.match(whole, { status: 'rejected' });
  await near.submit([addSheet]);

  const firsts = [...alone, ...among.slice(1), ...resultsOf(whole).slice(1)];
  const later = await TestService.start(t, settings);
  const ids = ['alone', 'among', 'whole'];
  for (const service of [there, here, later]) {
    const client = await LiveClient.join(book.at(service), { hello: { lastSeq: 0 } });
    const again = await client.submit(ids.map(early));
    t.match(again, { status: 'rejected' });
    const errors = resultsOf(again).map(({ error }) => ({ code: error?.code }));
    t.same(
      errors,
      firsts.map(({ error }) => ({ code: error?.code })),
    );
    t.same(resultsOf(again)[0], alone[0]);
  }
  const other = await LiveClient.join(book.at(later), { hello: { writer: 'other' } });
  t.match(await other.submit([early('alone')]), { status: 'applied' }, 'of this writer alone');
  t.match(await near.submit([setCell('A2', 1, 'kept')]), { status: 'applied' });
  const body = { ops: [early('alone')], writer: 'w' };
  const asked = await book.at(later).ask('/branches/main/ops', { body });
  t.match(asked, { status: 409, json: { errors: [{ code: 'sheet_not_found' }] } });
});

t.test('one outcome, where the same is sent to two processes at once', async (t) => {
  const settings = await sharedSettings(t);
  const services = [await TestService.start(t, settings), await TestService.start(t, settings)];
  const [first] = services;
  if (!first) throw new Error('there is no service');
  const book = await Book.create(first);
  await fill(book, 1);
  const clients = await Promise.all(
    services.map((service) => LiveClient.join(book.at(service), { hello: { lastSeq: 0 } })),
  );
  const adder = await LiveClient.join(book, { hello: { writer: 'adder' } });
  for (let round = 0; round < 8; round++) {
    const id = `round-${round}`;
    const op = { ...early(id), payload: { ...early(id).payload, sheet: `S${round}` } };
    const adding = adder.submit([{ kind: 'sheet.add', payload: { name: `S${round}` } }]);
    const acks = await Promise.all(clients.map((client) => client.submit([op])));
    await adding;
    const statuses = acks.map((ack) => resultsOf(ack)[0]?.status ?? '').toSorted();
    t.ok(['applied,duplicate', 'rejected,rejected'].includes(statuses.join()), statuses.join());
    const again = await Promise.all(clients.map((client) => client.submit([op])));
    const wanted = statuses[0] === 'applied' ? 'duplicate' : 'rejected';
    for (const ack of again) t.match(resultsOf(ack), [{ status: wanted }]);
  }
});
