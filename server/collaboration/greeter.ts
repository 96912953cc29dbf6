import type { Branches } from '../branches/branches.ts';
import { branchKey, type BranchAddress } from '../branches/journal-store.ts';
import type { Environment } from '../model/environment.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import type { Hello } from './client-messages.ts';
import type { FarRooms } from './far-rooms.ts';
import { startOf } from './greeting.ts';
import { takePresence } from './presence-taking.ts';
import type { Presence } from './presence.ts';
import type { Room } from './room.ts';
import type { Greeting, Session } from './session.ts';
import { snapshotMessage } from './snapshot-message.ts';
import type { StandingTable } from './sql.ts';

export interface GreeterParts {
  readonly branches: Branches;
  readonly registry: { visible(id: string, principal: Principal): Promise<WorkbookFacts> };
  readonly standing: Pick<StandingTable, 'of'>;
  readonly names: IdentityNames;
  /** Resolves once what was read of a journal is as durable as what is acknowledged. */
  readonly confirm: () => Promise<void>;
  readonly far: FarRooms;
  readonly environment: Environment;
  readonly nodeId: string;
}

/** Answers hellos: finds where the stream of a socket begins, and its presence. */
export class Greeter {
  readonly #parts: GreeterParts;

  constructor(parts: GreeterParts) {
    this.#parts = parts;
  }

  async greet(room: Room, session: Session, hello: Hello): Promise<Greeting> {
    const { branches, registry, far, environment, nodeId: node } = this.#parts;
    const { seat } = session;
    const { address, workbookId } = seat;
    const { lastSeq = null } = hello;
    const { head, hash } = await branches.read(address, function* (state, live) {
      yield* [];
      room.settleHead(state.head);
      session.join(room, Math.min(lastSeq ?? state.head, state.head));
      return { head: state.head, hash: live.hash.toString('base64url') };
    });
    // Operations of another process may be visible before they are durable on the standby.
    await this.#parts.confirm();
    const start = await startOf(hello, {
      address,
      head,
      oldestSeq: () => room.oldestSeq,
      hashAt: branches.hashAt.bind(branches),
      history: branches.history.bind(branches),
    });
    const facts = await registry.visible(workbookId, seat.principal);
    const archived = facts.archived || (await this.#isArchived(address));
    session.isArchived = archived;
    const took = (taken: Presence): void => far.took(branchKey(address), taken);
    const { userId } = seat.principal;
    const name = (await this.#parts.names.of([userId]))(userId);
    const arrival = { room, session, name, key: hello.sessionKey, took };
    const presence = takePresence(arrival, environment);
    const replay = start.kind === 'replay' ? { from: start.fromSeq, to: head } : null;
    const about = { seat, facts, presence, head, headHash: hash, replay, archived };
    const snapshot = (): object =>
      snapshotMessage(about, { board: room.board, node, now: environment.now() });
    return { room, head, start, presence, snapshot };
  }

  async #isArchived(address: BranchAddress): Promise<boolean> {
    const [standing] = await this.#parts.standing.of([address]);
    return standing?.archived ?? false;
  }
}
