import type { Book } from './book.ts';
import type { ServiceDoor } from './service-door.ts';

export interface ServerEvent {
  readonly name: string;
  /** Last id, as a browser would send it back. */
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventOptions {
  readonly query?: string;
  readonly lastEventId?: string;
  readonly branch?: string;
  readonly credential?: string;
  /** Accepted types; text/event-stream by default. */
  readonly accept?: string;
}

const waitMilliseconds = 10_000;

/** Follows the events of a branch by fetch, like any reader of text/event-stream. */
export class EventClient {
  readonly events: ServerEvent[] = [];
  readonly headers: Headers;
  /** Resolves once the service has ended the stream, or it was cut off. */
  readonly ended: Promise<void>;
  lastEventId: string | undefined;
  heartbeatCount = 0;
  /** Error that ended the reading, such as a cut connection; undefined after an orderly end. */
  fault: unknown;
  readonly #abort: AbortController;
  #taken = 0;
  #wake: (() => void) | undefined;
  /** Reading waits for it. */
  #pause: Promise<void> | undefined;

  private constructor(answer: Response, abort: AbortController) {
    this.headers = answer.headers;
    this.#abort = abort;
    this.ended = this.#read(answer).catch((fault: unknown) => {
      this.fault = fault;
    });
  }

  static async open(book: Book<ServiceDoor>, options: EventOptions = {}): Promise<EventClient> {
    const { branch = 'main', query = '', lastEventId, credential = book.credential } = options;
    const path = `/v1/workbooks/${book.id}/branches/${branch}/events${query}`;
    const headers: Record<string, string> = {
      authorization: `Bearer ${credential}`,
      accept: options.accept ?? 'text/event-stream',
      'accept-encoding': 'gzip, br',
    };
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    const abort = new AbortController();
    const answer = await fetch(book.service.url + path, { headers, signal: abort.signal });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return new EventClient(answer, abort);
  }

  close(): void {
    this.#abort.abort();
  }

  /** Stops reading until the returned function is called. */
  pause(): () => void {
    let go!: () => void;
    this.#pause = new Promise((resolve) => (go = resolve));
    return () => {
      this.#pause = undefined;
      go();
    };
  }

  /** Returns the next wanted event that was not taken yet, and drops those before it. */
  async next(
    name: string,
    wanted: (data: ServerEvent['data']) => boolean = () => true,
  ): Promise<ServerEvent> {
    const end = Date.now() + waitMilliseconds;
    for (;;) {
      const event = this.events[this.#taken];
      if (event) {
        this.#taken++;
        if (event.name === name && wanted(event.data)) return event;
        continue;
      }
      const left = end - Date.now();
      if (left <= 0) {
        const seen = JSON.stringify(this.events).slice(-1_000);
        throw new Error(`no ${name}; so far ${seen}`, { cause: this.fault });
      }
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }

  /** Sequences of all operations, in the order in which they came. */
  get seqs(): number[] {
    return this.events.flatMap(({ name, data }) =>
      name === 'op_applied' ? (data['ops'] as { seq: number }[]).map(({ seq }) => seq) : [],
    );
  }

  async #read({ body }: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const bytes of body ?? []) {
        await this.#pause;
        text += decoder.decode(bytes as Uint8Array, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
        this.#wake?.();
      }
    } finally {
      this.#wake?.();
    }
  }

  #take(block: string): void {
    let name = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/u.exec(line) ?? [];
      if (field === 'id') this.lastEventId = value;
      else if (field === 'event') name = value;
      else if (field === 'data') data += value;
      else if (field === '') this.heartbeatCount++;
    }
    if (data === '') return;
    const parsed = JSON.parse(data) as ServerEvent['data'];
    this.events.push({ name, id: this.lastEventId, data: parsed });
  }
}
