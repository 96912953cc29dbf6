import type { Acknowledgement, PresenceNews, Snapshot } from '../../library/frames.ts';
import type { Operation } from '../../library/operations.ts';
import type { Pending } from '../../library/pending.ts';
import { Problem as LibraryProblem } from '../../library/problem.ts';
import { base64Url } from '../../library/base64-url.ts';
import { Session } from '../../library/session.ts';
import type { SessionEnd, SessionState } from '../../library/session-options.ts';
import { makeUlid } from '../../library/ulid.ts';
import type { Shift } from '../../../server/model/shift.ts';
import { Problem, type Service } from '../service.ts';
import { EarlyEdits } from './early-edits.ts';
import type { EditEvents, EditPlace } from './edit-place.ts';
import type { KeptTexts } from './kept-texts.ts';
import { layerOf, shiftedLayer, type Layer, type News, type Op } from './overlay.ts';
import { answered } from './answered.ts';
import { archivedAfter, peersAfter, type LivePeer } from './peers.ts';
import { putsRight } from './put-right.ts';
import { isOfStanding, type RefusedEdit } from './refused-edit.ts';
import { splitOp } from './split-op.ts';
import { PresenceKey } from './presence-key.ts';
import { whenReached } from './reached.ts';
import { holdName, OtherPages } from './writers.ts';

interface You {
  readonly principal: string;
  readonly name: string;
  readonly role: string | null;
}

type Result = Acknowledgement['results'][number];

/**
 * Edits of this page on a branch by its websocket: stored before they are sent, sent until they are
 * answered, shown meanwhile, and kept if they are rejected.
 */
export class LiveEdits {
  state: SessionState = 'connecting';
  peers: readonly LivePeer[] = [];
  refused: readonly RefusedEdit[] = [];
  layers: readonly Layer[] = [];
  /** Role that the service reported; undefined before. */
  role: string | undefined;
  /** True when the branch takes changes of this person only by merges. */
  isGuarded = false;
  /** True while the branch, or its workbook, is archived. */
  isArchived = false;
  /** Name by which others see this person; empty until the service reports it. */
  name = '';
  /** Time when the connection was lost. */
  offlineSince: Date | undefined;
  readonly #service: Service;
  readonly #place: EditPlace;
  readonly #texts: KeptTexts;
  readonly #events: EditEvents;
  readonly #made = new Map<string, Pending>();
  readonly #early = new EarlyEdits();
  readonly #abort = new AbortController();
  readonly #others: OtherPages;
  readonly #key: PresenceKey;
  #principal = '';
  #session: Session | undefined;
  #presence: Readonly<Record<string, unknown>> = {};
  #undoBefore: number | undefined;

  constructor(
    { service, texts }: { readonly service: Service; readonly texts: KeptTexts },
    place: EditPlace,
    events: EditEvents,
  ) {
    this.#service = service;
    this.#texts = texts;
    this.#place = place;
    this.#events = events;
    this.#key = new PresenceKey(this.#prefix);
    this.#others = new OtherPages(texts, place.writer, {
      prefix: this.#prefix,
      signal: this.#abort.signal,
      adopt: (writer) => this.#adopt(writer),
    });
  }

  get waiting(): readonly Pending[] {
    return this.#session?.pending ?? [];
  }

  /** True when edits wait for a confirmation that they still apply. */
  get isHeld(): boolean {
    return this.#session?.isHeld === true && this.waiting.length > 0;
  }

  /** Asks the service anew who this person is here, and whether the branch takes edits. */
  refresh(): void {
    this.#session?.refresh();
  }

  guard(isGuarded: boolean): void {
    if (isGuarded === this.isGuarded) return;
    this.isGuarded = isGuarded;
    this.#events.onChange();
  }

  /** True when all waiting edits are in the storage of the browser. */
  get isStored(): boolean {
    return this.#texts.busyCount === 0 && !this.#texts.isPassing;
  }

  /** True when the browser stores nothing. */
  get isPassing(): boolean {
    return this.#texts.isPassing;
  }

  /** Final close code, after which the session does not reconnect. */
  get endCode(): number | undefined {
    return this.#session?.ended?.code;
  }

  /** True when the workbook is gone, or not accessible to this person. */
  get isBookGone(): boolean {
    return this.#session?.ended?.problem.code === 'not_found';
  }

  async open(): Promise<void> {
    const { signal } = this.#abort;
    holdName(this.#name, signal);
    const leave = () => this.#key.leave(this.#session?.sessionKey);
    window.addEventListener('pagehide', leave, { signal });
    whenReached(signal, () => this.#session?.check());
    const kept = await this.#texts.getItem(`refused:${this.#name}`);
    this.refused = kept === null ? [] : (JSON.parse(kept) as RefusedEdit[]);
    await this.#connect();
    for (const pending of this.waiting) this.#show(pending);
    this.#handEarly();
    this.#events.onChange();
  }

  /** Submits what was entered before there was a session. */
  #handEarly(): void {
    const early = this.#early.take();
    this.layers = this.layers.filter(({ id }) => !early.some((edit) => edit.id === id));
    for (const { op, baseSeq } of early) this.submit([op], baseSeq);
  }

  async #connect(): Promise<void> {
    const { workbookId: id, branch, writer } = this.#place;
    const calls = {
      url: this.#service.baseUrl,
      key: undefined,
      ask: (_: string, path: string) => this.#ask(path.replace('{id}', id)),
    };
    const sessionKey = this.#session?.sessionKey ?? this.#key.take();
    const session = await Session.open(
      calls,
      { id, branch },
      {
        writer,
        storage: this.#texts,
        presence: this.#presence,
        ...(sessionKey !== undefined && { sessionKey }),
        authorize: async () => {
          const path = `/v1/workbooks/${id}/ws-ticket`;
          const { ticket } = (await this.#ask(path, { branch })) as { ticket: string };
          return `auth.ticket.${base64Url(ticket)}`;
        },
      },
    );
    this.#session = session;
    session.on('state', (state) => this.#become(state));
    session.on('presence', (frame) => this.#present(frame));
    session.on('applied', ({ ops, seq }) => this.#events.onNews(ops, seq));
    session.on('gap', ({ toSeq, reason }) => this.#events.onGap(toSeq, reason));
    session.on('acknowledged', (answer) => this.#settle(answer));
    if (this.#abort.signal.aborted) session.close();
  }

  close(): void {
    this.#handEarly();
    this.#abort.abort();
    this.#key.leave(this.#session?.sessionKey);
    const session = this.#session;
    // The last input is sent first; offline it stays in the storage.
    if (session?.state === 'live') void answered(session).then(() => session.close());
    else session?.close();
  }

  show(presence: Readonly<Record<string, unknown>>): void {
    this.#presence = presence;
    this.#session?.present(presence);
  }

  /** Submits operations with the addresses of a position; large ones are split. */
  submit(ops: readonly Op[], baseSeq: number): void {
    const session = this.#session;
    const early = session ? undefined : this.#early.add(ops, baseSeq);
    if (early) {
      this.layers = [...this.layers, ...early];
      return this.#events.onChange();
    }
    if (!session || session.ended) {
      const fault = { code: 'closed', message: 'This page is not connected any more.' };
      for (const op of ops) this.#refuse(op, fault);
      return;
    }
    const isUndo = ops.some(({ kind }) => kind === 'undo' || kind === 'redo');
    if (!isUndo) this.#undoBefore = undefined;
    const told = () => this.#events.onChange();
    const pieces = ops.flatMap((op) => splitOp(op));
    const group = pieces.length > 1 ? { group: makeUlid() } : {};
    for (const piece of pieces) {
      const named = { ...piece, id: makeUlid() } as Operation & { readonly id: string };
      // The answer arrives as an event, also for submissions of an earlier page.
      session.submit([named], { baseSeq, ...group }).then(told, told);
      const pending = session.pending.at(-1);
      if (pending) this.#show(pending);
    }
    void this.#texts.idle().then(() => this.#events.onChange());
    this.#events.onChange();
  }

  /** Undoes the last operation of this page, or its last undo. */
  undo(kind: 'undo' | 'redo', baseSeq: number): void {
    const last = this.layers.at(-1);
    // An edit that was never applied disappears at once.
    if (kind === 'undo' && last?.seq === undefined) this.layers = this.layers.slice(0, -1);
    const before = kind === 'undo' && this.#undoBefore !== undefined;
    const of = { last: true, ...(before && { before: this.#undoBefore }) };
    this.submit([{ kind, payload: { of } }], baseSeq);
  }

  offerAgain(): void {
    this.#session?.offerAgain();
    this.#events.onChange();
  }

  async discard({ submission, ops }: Pending): Promise<void> {
    await this.#session?.discard(submission);
    this.layers = this.layers.filter(({ id }) => !ops.some((op) => op.id === id));
    this.#events.onChange();
  }

  dismiss({ id }: RefusedEdit): void {
    this.#keepRefused(this.refused.filter((one) => one.id !== id));
  }

  tryAgain(refused: RefusedEdit, baseSeq: number): void {
    this.dismiss(refused);
    this.submit([{ kind: refused.kind, payload: refused.payload }], baseSeq);
  }

  /** Keeps an input that could not become an operation. */
  keepTyped(op: Op, message: string): void {
    this.#refuse(op, { code: 'not_sent', message });
  }

  /** Moves the layers along with lines of a sheet. */
  shift(sheet: readonly string[], shifts: readonly Shift[]): void {
    this.layers = this.layers.map((layer) =>
      sheet.includes(layer.sheet) ? shiftedLayer(layer, shifts) : layer,
    );
  }

  /** Drops layers up to a position, which the loaded blocks show themselves. */
  forgetBefore(seq: number): void {
    this.layers = this.layers.filter((layer) => layer.seq === undefined || layer.seq > seq);
  }

  get #prefix(): string {
    const { workbookId, branch } = this.#place;
    return `quire:${workbookId}:${branch}:`;
  }

  get #name(): string {
    return this.#prefix + this.#place.writer;
  }

  #show(pending: Pending): void {
    this.#made.set(pending.submission, pending);
    const added = pending.ops.map((op) => layerOf(op.id, op as Op, undefined));
    this.layers = [...this.layers, ...added.filter(({ cells }) => cells.size > 0)];
  }

  #become(state: SessionState): void {
    this.state = state;
    if (state === 'offline') this.offlineSince ??= new Date();
    else if (state !== 'connecting') this.offlineSince = undefined;
    const ended = this.#session?.ended;
    if (state === 'live') this.#session?.present(this.#presence);
    if (state !== 'live') this.peers = [];
    if (ended && !this.#abort.signal.aborted) this.#leave(ended);
    this.#events.onChange();
  }

  /** Handles the end of a session: an expired token is renewed, any other end is final. */
  #leave({ code, problem }: SessionEnd): void {
    if (code !== 4401) this.#refuseAll(problem);
    else if (problem.status === 0) void this.#connect();
  }

  #present(frame: Snapshot | PresenceNews): void {
    const own = this.#key.ownAfter(frame);
    this.peers = peersAfter(this.peers, frame, own);
    this.isArchived = archivedAfter(this.isArchived, frame);
    if (frame.kind === 'presence_snapshot') {
      const you = frame['you'] as You;
      this.role = you.role ?? undefined;
      this.#events.onNews([], frame.head);
      this.#principal = you.principal;
      this.name = you.name;
      void this.#texts.setItem(`writer:${this.#place.writer}`, you.principal);
      this.#others.watch();
    }
    this.#events.onChange();
  }

  /** Takes over the edits of a closed page of the same person. */
  async #adopt(writer: string): Promise<void> {
    const texts = this.#texts;
    if ((await texts.getItem(`writer:${writer}`)) !== this.#principal) return;
    const name = this.#prefix + writer;
    const left = JSON.parse((await texts.getItem(name)) ?? '[]') as Pending[];
    const named = left.map((one) => ({ ...one, writer: one.writer ?? writer }));
    for (const pending of named) this.#show(pending);
    await this.#session?.adopt(named);
    await texts.removeItem(name);
    const refused = (await texts.getItem(`refused:${name}`)) ?? '[]';
    this.#keepRefused([...this.refused, ...(JSON.parse(refused) as RefusedEdit[])]);
    await texts.removeItem(`refused:${name}`);
    await texts.removeItem(`writer:${writer}`);
  }

  #settle(answer: Acknowledgement): void {
    const pending = this.#made.get(answer.submission);
    this.#made.delete(answer.submission);
    const news: News[] = [];
    for (const [index, result] of answer.results.entries()) {
      const op = pending?.ops[index] as (Op & { readonly id: string }) | undefined;
      if (!op) continue;
      if (result.status === 'rejected') this.#refused(op, result);
      else news.push(this.#applied(op, result));
    }
    this.#events.onNews(news, answer.head);
    this.#events.onChange();
  }

  #applied(op: Op & { readonly id: string }, result: Result): News {
    const { seq = 0, payload } = result as { seq?: number; payload?: Op['payload'] };
    const done = { kind: op.kind, payload: payload ?? op.payload };
    const left = this.refused.filter((one) => !putsRight(done, one));
    if (left.length < this.refused.length) this.#keepRefused(left);
    this.layers = this.layers.map((layer) =>
      layer.id === op.id ? layerOf(op.id, done, seq) : layer,
    );
    return { seq, ...done, isOwn: true };
  }

  #refused(op: Op & { readonly id: string }, { error }: Result): void {
    const { code = 'rejected', message = '', hint, atSeq } = error ?? {};
    this.layers = this.layers.filter(({ id }) => id !== op.id);
    // The next undo skips the operations that others have overwritten.
    if (code === 'nothing_to_undo') this.#undoBefore = atSeq;
    this.#refuse(op, { code, message, ...(hint !== undefined && { hint }) });
  }

  #refuse(
    { kind, payload }: Op,
    why: { readonly code: string; readonly message: string; readonly hint?: string },
  ): void {
    const refused = { id: makeUlid(), kind, payload, hint: undefined, ...why };
    this.refused = [...this.refused, refused];
    this.#keepRefused();
    if (isOfStanding(why.code)) this.refresh();
    if (why.code === 'policy') this.guard(true);
  }

  #refuseAll({ code, detail }: LibraryProblem): void {
    for (const pending of this.waiting) {
      for (const op of pending.ops) this.#refuse(op, { code, message: detail });
      void this.#session?.discard(pending.submission);
    }
    this.layers = [];
  }

  #keepRefused(refused = this.refused): void {
    this.refused = refused;
    const name = `refused:${this.#name}`;
    if (this.refused.length === 0) void this.#texts.removeItem(name);
    else void this.#texts.setItem(name, JSON.stringify(this.refused));
    this.#events.onChange();
  }

  /** Sends a request; its failures are those of the session. */
  async #ask(path: string, body?: object): Promise<unknown> {
    try {
      return await this.#service.ask(path, body && { body });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, status, message: detail, hint } = error;
      throw new LibraryProblem({ code, status, detail, hint });
    }
  }
}
