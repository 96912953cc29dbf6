import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

interface View {
  readonly ranges: readonly string[];
  readonly value: { readonly url: string };
}

const plan = { sheet: 'Plan' };

t.test('a row that is moved into a link keeps its own, also after a restart', async (t) => {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', { sheets: [{ name: 'Plan' }] });
  const at = `/v1/workbooks/${(made.json as { id: string }).id}`;
  const submit = async (...ops: readonly object[]) => {
    const { status, text } = await door.request(`${at}/branches/main/ops`, { ops });
    t.equal(status, 200, text);
  };
  const links = async () => {
    const { json } = await door.request(`${at}/records?types=hyperlink`);
    return (json as { records: View[] }).records
      .map(({ ranges, value }) => `${ranges.join()} ${value.url}`)
      .toSorted();
  };
  const link = (range: string, url: string) => ({
    kind: 'hyperlink.set',
    payload: { ...plan, range, url },
  });
  await submit(link('B1:B2', 'https://pair/'), link('B3', 'https://one/'));
  await submit({ kind: 'rows.move', payload: { ...plan, from: 3, before: 2 } });
  const apart = ['B1 https://pair/', 'B2 https://one/', 'B3 https://pair/'];
  t.same(await links(), apart);
  const { json: before } = await door.request(`${at}/branches/main/state`);
  await door.restart();
  t.same(await links(), apart);
  const { json: after } = await door.request(`${at}/branches/main/state`);
  t.equal((after as { hash: string }).hash, (before as { hash: string }).hash);
  await submit({ kind: 'undo', payload: { of: 4 } });
  t.same(await links(), ['B1:B2 https://pair/', 'B3 https://one/']);
});
