import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Cap {
  readonly limit: number;
  readonly used: number;
}

interface Usage {
  readonly plan: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly usage: Readonly<Record<string, number>>;
  readonly caps: Readonly<Record<string, Cap | number>>;
}

const capNames: Readonly<Record<string, string>> = {
  workbooks: 'Workbooks',
  operationsPerMonth: 'Operations this month',
  storageBytes: 'Bytes of journals',
};

/** Screen of the used share of the plan. */
export default function UsageScreen() {
  const { service } = useShell();
  const { value, error, again } = useLoaded(
    (signal) => service.ask<Usage>('/v1/account/usage', { signal }),
    [],
  );
  return (
    <main class="page">
      <h1>Usage</h1>
      {error && <Fault error={error} again={again} />}
      {!value && !error && <p role="status">Counting…</p>}
      {value && <Told usage={value} />}
      <p>
        <a href="/agents">Agents and keys</a> are on a page of their own.
      </p>
    </main>
  );
}

function Told({ usage: { plan, period, usage, caps } }: { usage: Usage }) {
  const lines = Object.entries(caps).filter(
    (entry): entry is [string, Cap] => typeof entry[1] === 'object',
  );
  return (
    <>
      <p>
        The plan <strong>{plan}</strong>, since {new Date(period.from).toLocaleDateString()}.
      </p>
      {lines.map(([name, { limit, used }]) => (
        <p key={name} class="meter">
          <label>
            {capNames[name] ?? name}
            <meter min={0} max={limit} value={used} high={limit * 0.9} />
          </label>
          <span>
            {used.toLocaleString()} of {limit.toLocaleString()}
          </span>
        </p>
      ))}
      <h2>Counted since then</h2>
      <table>
        <tbody>
          {Object.entries(usage).map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name.replace('.', ': ')}</th>
              <td class="number">{count.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
