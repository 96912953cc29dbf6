import type { Environment } from '../model/environment.ts';
import { isObject } from '../model/plain-json.ts';
import type { Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import type { Resources } from './catalogue.ts';
import { badParams } from './protocol/fault.ts';
import { EventStream } from './protocol/event-stream.ts';
import type { JsonObject, RequestId } from './protocol/message.ts';
import { metaKeys } from './protocol/names.ts';
import type { Session } from './sessions.ts';

/** Resources that one stream may tell of. */
const watchedMost = 100;
/** Milliseconds within which changes are reported together. */
const restMilliseconds = 50;
/**
 * Life of a subscription, after which the client subscribes again and its credential is checked.
 */
const lifeMilliseconds = 3_600_000;

export interface SubscriptionParts {
  readonly resources: Resources;
  readonly rights: Rights;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** A subscriber, with the header of the credential. */
export interface Subscriber {
  readonly principal: Principal;
  readonly authorization: string | undefined;
}

/** Tells clients of what changes, on streams that stay open. */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  /** Functions that end each open stream in good order. */
  readonly #open = new Set<() => void>();

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  stop(): void {
    for (const finish of this.#open) finish();
  }

  /** The newer way: a request whose answer is the stream. */
  async listen(
    { id, params, subscriber }: { id: RequestId; params: JsonObject; subscriber: Subscriber },
    serverInfo: JsonObject,
  ): Promise<EventStream> {
    const uris = askedFor(params);
    const stream = new EventStream(this.#parts.environment);
    const meta = { [metaKeys.subscription]: id };
    const watched = new Set<string>();
    const watching = uris.map(async (uri) => {
      const told = () => stream.send(updated({ uri, _meta: meta }));
      const lost = (): void => {
        watched.delete(uri);
        if (watched.size === 0) finish();
      };
      const stop = await this.#watch(uri, subscriber, { told, lost });
      if (!stop) return [];
      watched.add(uri);
      stream.whenEnded(stop);
      return [uri];
    });
    // The acknowledgement comes first: what changes until then waits for its rest.
    const honoured = (await Promise.all(watching)).flat();
    const notifications = honoured.length > 0 ? { resourceSubscriptions: honoured } : {};
    const method = 'notifications/subscriptions/acknowledged';
    stream.send({ jsonrpc: '2.0', method, params: { notifications, _meta: meta } });
    function finish(): void {
      const named = { ...meta, [metaKeys.serverInfo]: serverInfo };
      stream.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: named } });
      stream.end();
    }
    if (honoured.length === 0) finish();
    else this.#keep(stream, finish);
    return stream;
  }

  /** The older way: one stream for all that a session subscribes to. */
  stream(session: Session, { authorization }: Subscriber): EventStream {
    session.stream?.end();
    const stream = new EventStream(this.#parts.environment);
    session.stream = stream;
    stream.whenEnded(() => {
      if (session.stream === stream) session.stream = undefined;
    });
    stream.whenEnded(this.#parts.rights.watch({ authorization }, () => stream.end()));
    stream.comment('listening');
    this.#keep(stream, () => stream.end());
    return stream;
  }

  async subscribe(session: Session, uri: string, subscriber: Subscriber): Promise<void> {
    if (session.watched.has(uri)) return;
    if (session.watched.size >= watchedMost) throw tooMany();
    const told = () => session.stream?.send(updated({ uri }));
    const lost = () => session.watched.delete(uri);
    const stop = await this.#watch(uri, subscriber, { told, lost });
    if (!stop) throw badParams('Nothing that could change is called so.', { uri });
    session.watched.set(uri, stop);
  }

  unsubscribe(session: Session, uri: string): void {
    session.watched.get(uri)?.();
    session.watched.delete(uri);
  }

  #keep(stream: EventStream, finish: () => void): void {
    this.#open.add(finish);
    const cancel = this.#parts.environment.after(lifeMilliseconds, finish);
    stream.whenEnded(() => {
      cancel();
      this.#open.delete(finish);
    });
  }

  /** Returns undefined where the client sees nothing of that name that could change. */
  async #watch(
    uri: string,
    { principal, authorization }: Subscriber,
    { told, lost }: { readonly told: () => void; readonly lost: () => void },
  ): Promise<(() => void) | undefined> {
    const { resources, rights, environment, report } = this.#parts;
    let isWaiting = false;
    const tell = async (): Promise<void> => {
      isWaiting = false;
      if (await resources.mayStillRead(uri, { principal })) told();
      else end();
    };
    const changed = (): void => {
      if (isWaiting) return;
      isWaiting = true;
      environment.after(restMilliseconds, () => {
        tell().catch((error: unknown) => report('tell a client of a change', error));
      });
    };
    const watched = await resources.watch(uri, { principal }, changed);
    if (!watched) return undefined;
    const { workbookId } = watched;
    const unwatch = rights.watch({ authorization, workbookId }, () => end());
    const stop = (): void => {
      watched.stop();
      unwatch();
    };
    function end(): void {
      stop();
      lost();
    }
    return stop;
  }
}

function updated(params: JsonObject): object {
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params };
}

/** Lists never change while the service runs, so that only resources are left to be heard of. */
function askedFor({ notifications }: JsonObject): string[] {
  if (!isObject(notifications)) {
    throw badParams(
      '"notifications" says what you want to hear of: {"resourceSubscriptions":[uri]}.',
    );
  }
  const { resourceSubscriptions: uris = [] } = notifications;
  const isList = Array.isArray(uris) && uris.every((uri) => typeof uri === 'string');
  if (!isList) throw badParams('"resourceSubscriptions" is a list of URIs.');
  const asked = [...new Set(uris)];
  if (asked.length > watchedMost) throw tooMany();
  return asked;
}

function tooMany(): Error {
  return badParams(`One stream tells of at most ${watchedMost} resources.`);
}
