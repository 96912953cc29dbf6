import type { Environment } from '../model/environment.ts';
import type { Sql } from '../storage/postgres.ts';
import { HeadBus, type HeadBusOptions } from './head-bus.ts';
import { Nodes } from './nodes.ts';
import { PresenceBus } from './presence-bus.ts';
import { NodeTable } from './sql.ts';

const keyBytes = 8;

export interface NodeParts extends Pick<HeadBusOptions, 'report'> {
  readonly sql: Sql;
  readonly environment: Environment;
  /** Name that the operator gave; several starts may have one name. */
  readonly nodeId: string;
  readonly version: string;
  /** Is true if no other process can reach the database. */
  readonly isEmbedded: boolean;
}

export interface StartedNodes {
  readonly others: Nodes;
  /** The bus, to be started. */
  readonly bus: HeadBus;
  /** The bus for who is there, to be started. */
  readonly presenceBus: PresenceBus;
  /** Parts to be stopped, the last first. */
  readonly parts: readonly { readonly name: string; stop(): Promise<void> }[];
}

/** Resolves once the other processes know of this one; the bus is still to be started. */
export async function startNodes(parts: NodeParts): Promise<StartedNodes> {
  const { sql, environment, nodeId, isEmbedded } = parts;
  const key = `${nodeId}:${Buffer.from(environment.random(keyBytes)).toString('hex')}`;
  const store = new NodeTable(sql);
  if (isEmbedded) await store.clear();
  const nodes = new Nodes({ ...parts, store, key });
  await nodes.start();
  const bus = new HeadBus({ ...parts, store, key, nodes });
  const presenceBus = new PresenceBus({ ...parts, store, key, nodes });
  return {
    others: nodes,
    bus,
    presenceBus,
    parts: [
      { name: 'other processes', stop: () => nodes.stop() },
      { name: 'news of commits', stop: () => bus.stop() },
      presenceBus,
    ],
  };
}
