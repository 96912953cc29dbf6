import { once, type Figure } from '../report.ts';
import { loopFigure } from '../values/run.ts';
import { OtherTenant, othersFigure } from '../service/other-tenant.ts';
import { RunningService } from '../service/running-service.ts';
import type { DataSet } from './data-sets.ts';
import { namesOf } from './names.ts';

const rowsPerSubmission = 50_000;

/** Measures matches of two columns over HTTP, from creation to end. */
export async function measureSpeed(sets: readonly DataSet[], rowCount: number): Promise<Figure[]> {
  const { left, right } = namesOf(sets, rowCount);
  const service = await RunningService.start();
  try {
    const book = await post(service, '/v1/workbooks', {});
    const at = `/v1/workbooks/${String(book['id'])}`;
    await fill(service, at, 'Left', left);
    await fill(service, at, 'Right', right);
    const fresh = await timed(service, at, 'id');
    const other = await OtherTenant.create(service);
    await service.loopDelay();
    other.begin();
    const whole = await timed(service, at, 'name');
    const slices = await other.end();
    const delay = await service.loopDelay();
    other.close();
    const { total, counts } = whole.page;
    const of = `${rowCount} x ${rowCount}`;
    return [
      figure(of, 'numbers alone', 's', fresh.seconds),
      figure(of, 'POST to done', 's', whole.seconds),
      loopFigure(of, delay),
      othersFigure(of, slices),
      figure(of, 'rows', '', total),
      figure(of, 'accepted', '', counts.accept),
    ];
  } finally {
    await service.stop();
  }
}

function figure(subject: string, measure: string, unit: string, value: number): Figure {
  return { subject, measure, unit, quire: once(value) };
}

interface Page {
  readonly status: string;
  readonly total: number;
  readonly counts: { readonly accept: number };
}

async function timed(service: RunningService, at: string, column: string) {
  const started = performance.now();
  const { poll } = await post(service, `${at}/matches`, {
    left: { tableId: 'Left', column },
    right: { tableId: 'Right', column },
  });
  for (;;) {
    const headers = { authorization: `Bearer ${service.credential}`, prefer: 'wait=10' };
    const answer = await fetch(`${service.url}${String(poll)}?limit=1`, { headers });
    const page = (await answer.json()) as Page;
    if (page.status === 'done') return { seconds: (performance.now() - started) / 1000, page };
    if (!['queued', 'running'].includes(page.status)) throw new Error(JSON.stringify(page));
  }
}

async function fill(
  service: RunningService,
  at: string,
  table: string,
  names: readonly string[],
): Promise<void> {
  const columns = ['id', 'name'];
  const schema = { columns: columns.map((name) => ({ name })) };
  const create = { kind: 'table.create', payload: { name: table, keyColumn: 'id', schema } };
  await post(service, `${at}/branches/main/ops`, { ops: [create] });
  for (let first = 0; first < names.length; first += rowsPerSubmission) {
    const part = names.slice(first, first + rowsPerSubmission);
    const rows = part.map((name, row) => [first + row, name]);
    const payload = { table, columns, rows, raw: true };
    await post(service, `${at}/branches/main/ops`, { ops: [{ kind: 'rows.import', payload }] });
  }
}

async function post(
  { url, credential }: RunningService,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const json = (await answer.json()) as Record<string, unknown>;
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json;
}
