import type { Service } from '../service.ts';

export interface LivePeer {
  readonly session: string;
  readonly name: string;
  readonly kind: string;
  readonly presence: { readonly sheet?: string; readonly cell?: string; readonly status?: string };
}

interface Frame {
  readonly kind: string;
  readonly head?: number;
  readonly lastSeq?: number;
  readonly peers?: readonly LivePeer[];
  readonly changes?: readonly (Partial<LivePeer> & { readonly session: string })[];
  readonly sessions?: readonly string[];
}

interface LiveEvents {
  /** The head of the branch, whenever it moved. */
  readonly onHead: (head: number) => void;
  readonly onPeers: (peers: readonly LivePeer[]) => void;
  readonly onState: (state: LiveState) => void;
}

export type LiveState = 'connecting' | 'live' | 'offline' | 'closed';

export interface LivePlace {
  readonly workbookId: string;
  readonly branch: string;
  readonly writer: string;
}

const aliveMs = 20_000;
const waitsMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000];
/** Codes after which nothing is tried again (docs/protocol.md "When a socket ends"). */
const finalCodes = new Set([4400, 4403, 4404, 4409, 4410, 4426]);

/** The websocket of a branch: its head as it moves, and who else is there. */
export class LiveBranch {
  readonly #service: Service;
  readonly #place: LivePlace;
  readonly #events: LiveEvents;
  readonly #peers = new Map<string, LivePeer>();
  #socket: WebSocket | undefined;
  #tries = 0;
  #alive: number | undefined;
  #retry: number | undefined;
  #isClosed = false;
  #presence: Readonly<Record<string, unknown>> = {};

  constructor(service: Service, place: LivePlace, events: LiveEvents) {
    this.#service = service;
    this.#place = place;
    this.#events = events;
    void this.#connect();
  }

  show(presence: Readonly<Record<string, unknown>>): void {
    this.#presence = presence;
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ kind: 'presence_update', presence }));
    }
  }

  close(): void {
    this.#isClosed = true;
    window.clearInterval(this.#alive);
    window.clearTimeout(this.#retry);
    this.#socket?.close(1000);
    this.#events.onState('closed');
  }

  async #connect(): Promise<void> {
    const { workbookId, branch } = this.#place;
    this.#events.onState('connecting');
    try {
      const path = `/v1/workbooks/${workbookId}/ws-ticket`;
      const { ticket } = await this.#service.ask<{ ticket: string }>(path, { body: { branch } });
      const address = new URL(`/v1/workbooks/${workbookId}/ws`, this.#service.baseUrl);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      address.searchParams.set('branch', branch);
      if (this.#isClosed) return;
      this.#open(new WebSocket(address, ['workbook.v1.json', `auth.ticket.${base64Url(ticket)}`]));
    } catch {
      // Without a ticket there is no socket: it is tried again as after a cut.
      this.#tryLater();
    }
  }

  #open(socket: WebSocket): void {
    this.#socket = socket;
    const { writer } = this.#place;
    socket.addEventListener('open', () => {
      const want = { ops: true, presence: true, cell_activity: 'none', ownOps: 'ack' };
      socket.send(
        JSON.stringify({
          kind: 'hello',
          protocol: 1,
          writer,
          lastSeq: null,
          want,
          presence: this.#presence,
        }),
      );
    });
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as Frame));
    socket.addEventListener('close', ({ code }) => {
      window.clearInterval(this.#alive);
      this.#peers.clear();
      this.#events.onPeers([]);
      if (this.#isClosed || finalCodes.has(code)) this.#events.onState('closed');
      else this.#tryLater();
    });
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    this.#events.onState('offline');
    const most = waitsMs[Math.min(this.#tries, waitsMs.length - 1)] ?? 10_000;
    this.#tries++;
    this.#retry = window.setTimeout(() => void this.#connect(), most * (0.5 + Math.random() / 2));
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case 'presence_snapshot':
        this.#joined(frame);
        break;
      case 'presence_changed':
        this.#changed(frame.changes ?? []);
        break;
      case 'presence_left':
        for (const session of frame.sessions ?? []) this.#peers.delete(session);
        this.#events.onPeers([...this.#peers.values()]);
        break;
      case 'op_applied':
      case 'ack':
      case 'gap':
        if (frame.head !== undefined) this.#events.onHead(frame.head);
        break;
      default:
    }
  }

  #joined({ head, peers = [] }: Frame): void {
    this.#tries = 0;
    this.#events.onState('live');
    this.#peers.clear();
    for (const peer of peers) this.#peers.set(peer.session, peer);
    this.#events.onPeers([...this.#peers.values()]);
    if (head !== undefined) this.#events.onHead(head);
    window.clearInterval(this.#alive);
    let count = 0;
    this.#alive = window.setInterval(() => {
      const sign = { kind: 'submit_ops', submission: `alive-${count++}`, ops: [] };
      this.#socket?.send(JSON.stringify(sign));
    }, aliveMs);
  }

  /** Changes are merge-patches (RFC 7396) of one level. */
  #changed(changes: NonNullable<Frame['changes']>): void {
    for (const change of changes) {
      const known = this.#peers.get(change.session) ?? {
        session: change.session,
        name: '',
        kind: 'person',
        presence: {},
      };
      const presence = { ...known.presence, ...change.presence };
      this.#peers.set(change.session, { ...known, ...change, presence });
    }
    this.#events.onPeers([...this.#peers.values()]);
  }
}

/** Returns an ASCII text as subprotocols carry it: base64url without padding (RFC 4648). */
function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
