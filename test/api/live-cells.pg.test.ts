import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

interface Values {
  readonly data: unknown[][];
  readonly types: string[][];
}

/** The next news of cells whose first value is as expected. */
function valuesOf(client: LiveClient, first: unknown): Promise<LiveMessage> {
  return client.find(
    ({ kind, values }) =>
      kind === 'cell_activity' && (values as Values | undefined)?.data[0]?.[0] === first,
  );
}

t.test('who looks at cells is sent their values as they are calculated', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  const writer = await LiveClient.join(book);
  await writer.submit([setCell('A1', 2), setCell('B1', '=A1*10'), setCell('C1', '=1/0')]);
  const viewer = await LiveClient.join(book, {
    hello: { presence: { viewport: { sheet: 'Sheet1', range: 'B1:C2' } } },
  });
  t.match(await valuesOf(viewer, 20), {
    values: {
      range: 'B1:C2',
      data: [
        [20, { error: '#DIV/0!' }],
        [null, null],
      ],
    },
  });
  const { lastSeq } = await writer.submit([setCell('A1', 3)]);
  const told = await valuesOf(viewer, 30);
  t.match(told, {
    ranges: ['B1'],
    cause: 'recalc',
    values: {
      types: [
        ['n', 'e'],
        ['z', 'z'],
      ],
    },
  });
  t.ok(Number(told['seq']) >= Number(lastSeq), 'of that position or a later one');
  viewer.send({
    kind: 'presence_update',
    presence: { viewport: { sheet: 'Sheet1', range: 'A1:Z100' } },
  });
  const large = await viewer.find(({ kind, truncated }) => kind === 'cell_activity' && !!truncated);
  t.match(large, { sheet: 'Sheet1', ranges: ['A1:Z100'] });
});
