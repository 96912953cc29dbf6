import { Problem, Unreachable, type Service } from '../service.ts';

/** An operation that the service has not answered yet. */
export interface PendingEdit {
  readonly id: string;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The position that its addresses refer to. */
  readonly baseSeq: number;
  /** Where it is shown while it waits: `row:column` of a sheet, and the text typed. */
  readonly shown: ReadonlyMap<string, string>;
  readonly sheet: string;
  /** In words, for the list of what was not applied. */
  readonly text: string;
}

export interface RefusedEdit {
  readonly edit: PendingEdit;
  readonly message: string;
  readonly hint: string | undefined;
}

interface Answer {
  readonly head: number;
  readonly results: readonly {
    readonly status: string;
    readonly seq?: number;
    readonly error?: { readonly message: string; readonly hint?: string };
  }[];
}

interface QueueEvents {
  readonly onApplied: (edit: PendingEdit, head: number, seq: number | undefined) => void;
  readonly onRefused: (refused: RefusedEdit) => void;
  readonly onChange: () => void;
}

const retryMs = 2_000;

/**
 * Sends edits one after the other, each under an id of its own: one whose answer was lost is
 * sent again and counts once. Without a connection they wait.
 */
export class EditQueue {
  isOffline = false;
  readonly #service: Service;
  readonly #path: string;
  readonly #writer: string;
  readonly #events: QueueEvents;
  readonly #waiting: PendingEdit[] = [];
  #isSending = false;
  #isClosed = false;

  constructor(
    service: Service,
    { path, writer }: { readonly path: string; readonly writer: string },
    events: QueueEvents,
  ) {
    this.#service = service;
    this.#path = path;
    this.#writer = writer;
    this.#events = events;
  }

  get waiting(): readonly PendingEdit[] {
    return this.#waiting;
  }

  add(edit: PendingEdit): void {
    this.#waiting.push(edit);
    this.#events.onChange();
    void this.#send();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let [edit] = this.#waiting; edit && !this.#isClosed; [edit] = this.#waiting) {
        const isDone = await this.#sendOne(edit);
        if (isDone) this.#waiting.shift();
        else await new Promise((resolve) => setTimeout(resolve, retryMs));
        this.#events.onChange();
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Returns whether the service has answered for good. */
  async #sendOne(edit: PendingEdit): Promise<boolean> {
    const { id, kind, payload, baseSeq } = edit;
    const body = { writer: this.#writer, baseSeq, ops: [{ id, kind, payload }] };
    try {
      const answer = await this.#service.ask<Answer>(this.#path, { body });
      this.isOffline = false;
      const [result] = answer.results;
      if (result?.error) this.#refuse(edit, result.error.message, result.error.hint);
      else this.#events.onApplied(edit, answer.head, result?.seq);
      return true;
    } catch (error) {
      const isPassing =
        error instanceof Unreachable ||
        (error instanceof Problem && (error.status === 429 || error.status >= 500));
      if (isPassing) {
        this.isOffline = true;
        return false;
      }
      const refusal = refusalOf(error);
      this.#refuse(edit, refusal.message, refusal.hint);
      return true;
    }
  }

  #refuse(edit: PendingEdit, message: string, hint: string | undefined): void {
    this.#events.onRefused({ edit, message, hint });
  }
}

/** A submission of which nothing was applied tells why in the result of its operation. */
function refusalOf(error: unknown): {
  readonly message: string;
  readonly hint: string | undefined;
} {
  if (!(error instanceof Problem)) return { message: String(error), hint: undefined };
  const { results } = error.body as { results?: Answer['results'] };
  const refused = results?.find((result) => result.error)?.error;
  return { message: refused?.message ?? error.message, hint: refused?.hint ?? error.hint };
}
