import type { Sql } from '../storage/postgres.ts';
import type { BeatTimes, HeadNews, NodeStore, OtherNode } from './node-store.ts';

const beatChannel = 'quire_node';
const headChannel = 'quire_wake';
const presenceChannel = 'quire_presence';
/** The processes on this database, and the news that they tell one another. */
export class NodeTable implements NodeStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async beat(
    { key, version }: { readonly key: string; readonly version: string },
    known: readonly string[],
    { liveSeconds, keptSeconds }: BeatTimes,
  ): Promise<readonly OtherNode[]> {
    const sql = this.#sql;
    await sql`
      insert into node (node_id, version, known) values (${key}, ${version}, ${[...known]}::text[])
      on conflict (node_id) do update set heartbeat_at = clock_timestamp(), known = excluded.known`;
    return sql<OtherNode[]>`
      with gone as (
        delete from node
         where heartbeat_at < clock_timestamp() - make_interval(secs => ${keptSeconds})
      )
      select node_id as key, ${key} = any(known) as "knowsMe",
             heartbeat_at > clock_timestamp() - make_interval(secs => ${liveSeconds}) as "isLive"
        from node
       where node_id <> ${key}
         and heartbeat_at >= clock_timestamp() - make_interval(secs => ${keptSeconds})`;
  }

  async leave(key: string): Promise<void> {
    await this.#sql`delete from node where node_id = ${key}`;
  }

  async clear(): Promise<void> {
    await this.#sql`delete from node`;
  }

  callBeats(): Promise<void> {
    return this.#notify(beatChannel, '');
  }

  async listenForBeats(hear: () => void): Promise<() => Promise<void>> {
    const listening = await this.#sql.listen(beatChannel, hear);
    return () => listening.unlisten();
  }

  async tellHeads(key: string, news: readonly HeadNews[]): Promise<void> {
    const lines = news.map(({ workbookId, branchNo, head }) => `${workbookId} ${branchNo} ${head}`);
    await this.#notify(headChannel, [key, ...lines].join('\n'));
  }

  async listenForHeads(
    key: string,
    hear: (news: readonly HeadNews[]) => void,
    listens: () => void,
  ): Promise<() => Promise<void>> {
    const read = (payload: string): void => {
      const [from, ...lines] = payload.split('\n');
      if (from !== key) hear(lines.map(readHead));
    };
    const listening = await this.#sql.listen(headChannel, read, listens);
    return () => listening.unlisten();
  }

  tellPresence(key: string, text: string): Promise<void> {
    return this.#notify(presenceChannel, `${key}\n${text}`);
  }

  async listenForPresence(
    key: string,
    hear: (from: string, text: string) => void,
    listens: () => void,
  ): Promise<() => Promise<void>> {
    const read = (payload: string): void => {
      const end = payload.indexOf('\n');
      const from = payload.slice(0, end);
      if (from !== key) hear(from, payload.slice(end + 1));
    };
    const listening = await this.#sql.listen(presenceChannel, read, listens);
    return () => listening.unlisten();
  }

  /** The commit waits for no disk: what is told is durable already, or looked up later. */
  async #notify(channel: string, payload: string): Promise<void> {
    await this.#sql`
      select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`;
  }
}

function readHead(line: string): HeadNews {
  const [workbookId = '', branchNo, head] = line.split(' ');
  return { workbookId, branchNo: Number(branchNo), head: Number(head) };
}
