import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { Waiting } from '../shell/waiting.tsx';
import { DayBars, daysSince, type Day } from './day-bars.tsx';

interface Cap {
  readonly limit: number;
  readonly used: number;
}

interface Member {
  readonly userId: string;
  readonly name: string;
  readonly usage: Readonly<Record<string, number>>;
}

interface Usage {
  readonly plan: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly usage: Readonly<Record<string, number>>;
  readonly days: readonly Day[];
  readonly caps: Readonly<Record<string, Cap | number>>;
  /** Left out for an agent whose key does not have the scope `account`. */
  readonly account?: { readonly members: readonly Member[] };
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
      {!value && !error && <Waiting label="Counting…" lines={6} />}
      {value && <Told usage={value} />}
      <p>
        <a href="/agents">Agents and keys</a> are on a page of their own.
      </p>
    </main>
  );
}

function Told({ usage: { plan, period, usage, days, caps, account } }: { usage: Usage }) {
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
      <DayBars days={daysSince(period.from, days)} />
      {account && account.members.length > 1 && <Members members={account.members} />}
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

/** How much of the plan each agent, and the person, has used. */
function Members({ members }: { readonly members: readonly Member[] }) {
  return (
    <>
      <h2>By agent</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col">Operations</th>
            <th scope="col">Requests</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ userId, name, usage }) => (
            <tr key={userId}>
              <th scope="row">{name}</th>
              <td class="number">{(usage['operations'] ?? 0).toLocaleString()}</td>
              <td class="number">{(usage['requests'] ?? 0).toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
